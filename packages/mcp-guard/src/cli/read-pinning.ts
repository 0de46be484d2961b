import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LOCK_FILE, readLock } from '@holdfast/tool-registry/lock';
import type { Pinning } from '../pins/pinned-tools.js';
import type { ProxySettings } from './proxy-command.js';

type Problem = { readonly problem: string };

/**
 * What of the server was reviewed: the lock file's word. Undefined where nothing is pinned. Outside of
 * enforcing nothing is blocked.
 */
export async function readPinning({
  pinned,
  lock,
  registry,
  mode,
}: Pick<ProxySettings, 'pinned' | 'lock' | 'registry' | 'mode'>): Promise<
  { readonly pinning: Pinning | undefined } | Problem
> {
  if (pinned === undefined) return { pinning: undefined };
  const file = resolve(lock ?? join(dirname(registry ?? '.'), LOCK_FILE));
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { problem: `--pinned: ${file}: ${why}. ${HOW}` };
  }
  const read = readLock(text);
  if ('problem' in read) return { problem: `--pinned: ${file}: ${read.problem}` };
  const { server } = read.lock;
  if (server === undefined) return { problem: `--pinned: ${file} locks no live server. ${HOW}` };
  return { pinning: { tools: server.tools, policy: mode === 'enforce' ? pinned : 'warn' } };
}

const HOW = 'Review the tools and write it: tool-registry lock --mcp "<command of the server>"';
