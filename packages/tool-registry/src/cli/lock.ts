import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { liveTools } from '../live-server/live-tools.js';
import { LOCK_FILE, type Lock, type LockedTools, printLock, readLock } from '../lock/lock-file.js';
import { lockedRegistry, lockedServer } from '../lock/locked-tools.js';
import { tellChange, toolChanges } from '../lock/tool-changes.js';
import type { DiffSettings, LockSettings } from './command-line.js';
import type { ExitCode } from './exit-code.js';
import { oneRegistry } from './one-registry.js';

/** What is locked: the tools as they are now, and the file of their lock. */
interface Subject {
  readonly of: 'registry' | 'server';
  readonly now: LockedTools;
  readonly file: string;
}

type Problem = { readonly problem: string };

/** Writes down what a registry or a live server promises now. What the file says of the other one stays. */
export async function runLock(given: readonly string[], settings: LockSettings): Promise<ExitCode> {
  const subject = await subjectOf(given, settings);
  if ('problem' in subject) return misused(subject);
  const { of, now, file } = subject;
  const before = await lockIn(file);
  if ('problem' in before) return misused(before);
  try {
    await writeFile(file, printLock({ ...before.lock, [of]: now }));
  } catch (error) {
    return misused({ problem: `${file}: ${messageOf(error)}` });
  }
  const count = Object.keys(now.tools).length;
  console.error(`${file} is written: ${count} tools of the ${of} ${now.name}.`);
  return 0;
}

/** Tells what changed since the lock was written. */
export async function runDiff(given: readonly string[], settings: DiffSettings): Promise<ExitCode> {
  const subject = await subjectOf(given, settings);
  if ('problem' in subject) return misused(subject);
  const { of, now, file } = subject;
  const read = await lockIn(file);
  if ('problem' in read) return misused(read);
  const was = read.lock[of];
  if (was === undefined) {
    return misused({ problem: `${file} locks no ${of}. Write it: tool-registry lock` });
  }
  const changes = toolChanges(was.tools, now.tools);
  if (settings.json) console.log(JSON.stringify(changes, null, 2));
  else for (const line of changes.flatMap(tellChange)) console.log(line);
  return changes.length === 0 ? 0 : 1;
}

async function subjectOf(
  given: readonly string[],
  { mcp, header, lock }: LockSettings,
): Promise<Subject | Problem> {
  if (mcp !== undefined) {
    const asked = await liveTools(mcp, header);
    if ('problem' in asked) return asked;
    const { name, definitions } = asked.live;
    return { of: 'server', now: lockedServer(name, definitions), file: lock ?? LOCK_FILE };
  }
  const source = await oneRegistry(given);
  if (!source.found) return { problem: source.why };
  const beside = relative(process.cwd(), join(dirname(source.file), LOCK_FILE));
  return { of: 'registry', now: lockedRegistry(source.registry), file: lock ?? beside };
}

/** What a lock file holds; nothing where there is none. */
async function lockIn(file: string): Promise<{ readonly lock: Lock } | Problem> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? { lock: {} } : { problem: `${file}: ${messageOf(error)}` };
  }
  const read = readLock(text);
  return 'problem' in read ? { problem: `${file}: ${read.problem}` } : read;
}

function misused({ problem }: Problem): ExitCode {
  console.error(problem);
  return 2;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
