import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Owner } from './effect.js';
import { wallClock } from './wall-clock.js';

/** Begins a start time that no kernel gave: nothing is compared with it. */
const derived = 'about ';

/**
 * Who works on a run, for one invocation of it in this process.
 *
 * @param id unique per invocation: a second invocation in the same process is another owner
 * @example
 * const owner = ownerIdentity(randomUUID());
 */
export function ownerIdentity(id: string): Owner {
  const { host, pid, processStart } = thisProcess();
  return { id, host, pid, processStart };
}

/** What does not change while the process lives; three files are read for it. */
let known: Omit<Owner, 'id'> | undefined;

function thisProcess(): Omit<Owner, 'id'> {
  known ??= {
    host: thisHost(),
    pid: process.pid,
    processStart: startOf(process.pid)?.start ?? derivedStart(),
  };
  return known;
}

/**
 * Whether an owner's process is proven to be gone, so that its lease need not be waited for. False for
 * an owner on another machine or in another process namespace, and whenever there is any doubt.
 */
export function isGone(owner: Owner): boolean {
  if (owner.host !== thisProcess().host) return false;
  switch (signalZero(owner.pid)) {
    case 'dead':
      return true;
    case 'unclear':
      return false;
    case 'alive': {
      const running = startOf(owner.pid);
      if (running === undefined || owner.processStart.startsWith(derived)) return false;
      return running.exited || running.start !== owner.processStart;
    }
  }
}

/** Host name alone would take two containers for one, or a machine for itself before a restart. */
function thisHost(): string {
  const boot = readable(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = readable(() => readlinkSync('/proc/self/ns/pid'));
  return [hostname(), boot, namespace].filter((part) => part !== undefined).join(' ');
}

/**
 * When a process started, in clock ticks since boot (field 22 of `proc(5)`'s stat), which no clock
 * change moves; undefined where there is no such file.
 */
function startOf(pid: number): { readonly start: string; readonly exited: boolean } | undefined {
  const stat = readable(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the program's name in parentheses and may hold anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields?.[0], fields?.[19]];
  if (state === undefined || start === undefined) return undefined;
  // Zombies only wait for their parent to notice.
  return { start, exited: state === 'Z' || state === 'X' };
}

/** Good enough to tell one's own rows from those of an earlier process; never a proof. */
function derivedStart(): string {
  return `${derived}${Math.round(wallClock() / 1000 - process.uptime())}`;
}

function signalZero(pid: number): 'alive' | 'dead' | 'unclear' {
  try {
    process.kill(pid, 0);
    return 'alive';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ESRCH') return 'dead';
    return code === 'EPERM' ? 'alive' : 'unclear';
  }
}

function readable(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
