import { type ChildProcess, spawn } from 'node:child_process';

/** From being asked to end until being ended, in milliseconds. */
const GRACE_MS = 700;

/**
 * A program in a process group of its own, with all that it starts. The group ends when this process does,
 * however it does: a reaper holds one end of a pipe, and acts when the other end is gone.
 */
export class ProcessGroup {
  readonly child: ChildProcess;
  readonly #reaper: ChildProcess;

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(command, args, {
      detached: true,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#reaper = spawn('sh', ['-c', reaperScript(this.child.pid)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // It must neither keep this process alive nor take it along.
    this.#reaper.on('error', () => {});
    this.#reaper.unref();
    this.child.on('exit', () => this.#endGroup('SIGTERM'));
  }

  signal(signal: NodeJS.Signals): void {
    this.#endGroup(signal);
  }

  /** Ends the program and all that it started. Resolves when nothing of it is left. */
  async end(sleep: (ms: number) => Promise<void>): Promise<void> {
    this.child.stdin?.end();
    this.#endGroup('SIGTERM');
    const stepMs = 20;
    for (let waited = 0; this.isAlive() && waited < GRACE_MS; waited += stepMs) await sleep(stepMs);
    this.#endGroup('SIGKILL');
    this.#reaper.kill('SIGKILL');
  }

  isAlive(): boolean {
    return this.#endGroup(0);
  }

  #endGroup(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.child;
    if (pid === undefined) return false;
    try {
      process.kill(-pid, signal);
      return true;
    } catch {
      // Nothing is left of it; or this system knows no groups.
      const { exitCode, signalCode } = this.child;
      return exitCode === null && signalCode === null && this.child.kill(signal);
    }
  }
}

/** Waits for the end of its input, then ends the group, and itself as soon as there is none. */
function reaperScript(group: number | undefined): string {
  if (group === undefined) return 'exit 0';
  const look = `kill -0 -${group} || exit 0; sleep 0.1`;
  return `exec 2>/dev/null; cat >/dev/null; kill -TERM -${group}; for _ in 1 2 3 4 5 6 7; do ${look}; done; kill -KILL -${group}`;
}
