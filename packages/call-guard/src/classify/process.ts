import { readRateLimitSignal } from '../rate-limit-signal.js';
import { type ErrorView, numberAt, textAt } from './error-view.js';
import { busy, failedThere, lost, type Meaning, type Reading, unable, unsent } from './reading.js';

/** How a program ended, and what it printed. */
interface Ended {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** The program did not start: the system's code. */
  readonly spawnCode?: string | undefined;
  /** It was ended by a limit of its caller. */
  readonly wasStopped: boolean;
  readonly printed: string;
}

/** Exit codes that shells and `timeout` give to programs that were ended; 128 plus the signal. */
const ENDED_CODES = new Set([124, 129, 130, 134, 137, 139, 143]);

/** A program that asks a service says so in words only. None proves what was done before. */
const byText: readonly (readonly [text: RegExp, meaning: Meaning])[] = [
  [/^curl: \((?:6|7)\)/m, unsent],
  [/^curl: \((?:28|52|55|56)\)/m, lost],
  [
    /authentication failed|bad credentials|not logged in|token (?:has )?expired|\b401\b.{0,20}unauthorized|permission denied \(publickey/i,
    { kind: 'auth_failed', did: 'unclear', why: 'credentials' },
  ],
  [/connection (?:refused|reset|timed out)|could not resolve host|broken pipe/i, lost],
];

/** An error of `child_process`, execa or zx. */
export function readProcess(view: ErrorView): Reading | undefined {
  const { error, code } = view;
  const syscall = textAt(error, 'syscall') ?? '';
  const isSpawn = syscall.startsWith('spawn');
  const isProgram = hasOutput(error) || textAt(error, 'cmd') !== undefined;
  if (!isSpawn && !isProgram) return undefined;
  return readEnd({
    exitCode: numberAt(error, 'exitCode') ?? numberAt(error, 'code'),
    signal: textAt(error, 'signal'),
    spawnCode: isSpawn ? textAt(error, 'code') : undefined,
    wasStopped:
      isTrue(error, 'killed') ||
      isTrue(error, 'timedOut') ||
      isTrue(error, 'isCanceled') ||
      code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER',
    // `exec` with a callback keeps what was printed in the message alone, below the command.
    printed: printedBy(error) || view.message.replace(/^.*\n?/, ''),
  });
}

/** A result that describes a program which failed: an exit code beside what was printed. */
export function readProcessResult(result: object): Reading | undefined {
  if (!hasOutput(result)) return undefined;
  const exitCode = numberAt(result, 'exitCode') ?? numberAt(result, 'code');
  const signal = textAt(result, 'signal');
  if ((exitCode ?? 0) === 0 && signal === undefined) return undefined;
  return readEnd({
    exitCode,
    signal,
    wasStopped: isTrue(result, 'timedOut'),
    printed: printedBy(result),
  });
}

function readEnd({ exitCode, signal, spawnCode, wasStopped, printed }: Ended): Reading {
  if (spawnCode !== undefined) {
    // No room for another process passes; a program that is not there does not come.
    const passes = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(spawnCode);
    return { meaning: passes ? busy : unable, code: spawnCode };
  }
  const code = signal ?? (exitCode === undefined ? 'stopped' : `exit ${exitCode}`);
  if (wasStopped || signal !== undefined || ENDED_CODES.has(exitCode ?? 0)) {
    return { meaning: lost, code };
  }
  const message = lastLines(printed);
  const known = byText.find(([form]) => form.test(printed))?.[1];
  const isLimit = readRateLimitSignal({ text: printed }, 0) !== undefined;
  return {
    meaning: isLimit ? { kind: 'rate_limited', did: 'unclear' } : (known ?? failedThere),
    code,
    message: message || undefined,
  };
}

function hasOutput(holder: object): boolean {
  return textAt(holder, 'stderr') !== undefined || textAt(holder, 'stdout') !== undefined;
}

/** Errors last: they are what a reader of the last lines wants to see. */
export function printedBy(holder: object): string {
  return [textAt(holder, 'stdout'), textAt(holder, 'stderr')]
    .filter((text) => text !== undefined && text !== '')
    .join('\n');
}

/** What a program says last is why it ended. */
function lastLines(printed: string): string {
  return printed.trimEnd().split('\n').slice(-3).join('\n').trim();
}

function isTrue(holder: object, name: string): boolean {
  return name in holder && Reflect.get(holder, name) === true;
}
