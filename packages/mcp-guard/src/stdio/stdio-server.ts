import type { Clock } from '@holdfast/call-guard';
import { LineFramer } from '../message/line-framer.js';
import {
  type Outgoing,
  type Upstream,
  type UpstreamEvents,
  UpstreamLost,
  type When,
} from '../proxy/upstream.js';
import { LineWriter } from './line-writer.js';
import { ProcessGroup } from './process-group.js';

/** Between two starts of a server that ended, in milliseconds: doubled for each that did not get to work. */
const RESTART_MS = 100;
const RESTART_CAP_MS = 30_000;

/** For how long a server that ended is listened to, in milliseconds. */
const LAST_WORDS_MS = 100;

/** What is kept of what a server printed to its standard error, in characters. */
const KEPT_STDERR = 2_000;

/** A server as a child process, started anew when it ends. */
export class StdioServer implements Upstream {
  /** Standard input takes messages alone. */
  readonly carriesHeaders = false;
  readonly leavesProcess = true;
  #group: ProcessGroup;
  /** What a server that just began hears first is said `at-once`; the rest waits for it. */
  #state: 'working' | 'beginning' | 'ended' = 'working';
  #writer: LineWriter | undefined;
  #isHeld = false;
  #waiting: Outgoing[] = [];
  #ready: Promise<void> | undefined;
  #begun:
    | { readonly resolve: () => void; readonly reject: (error: UpstreamLost) => void }
    | undefined;
  #isClosing = false;
  #failures = 0;
  #stderr = '';

  constructor(
    private readonly program: {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: NodeJS.ProcessEnv;
    },
    private readonly events: UpstreamEvents,
    private readonly clock: Pick<Clock, 'alarm' | 'sleep'>,
  ) {
    this.#group = this.#start();
  }

  send(message: Outgoing, when: When): void {
    if (this.#state === 'working' || when === 'at-once') {
      this.#writer?.write(message.text);
    } else {
      this.#waiting.push(message);
    }
  }

  /** Rejects if the next try to start it fails. */
  ready(): Promise<void> | undefined {
    return this.#ready;
  }

  /** Who cancelled has said so; a line has nothing to close. */
  giveUp(): void {}

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    const { stdout } = this.#group.child;
    if (isHeld) stdout?.pause();
    else stdout?.resume();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#group.end((ms) => this.clock.sleep(ms));
  }

  #start(): ProcessGroup {
    const { command, args, env } = this.program;
    const group = new ProcessGroup(command, args, env);
    const { child } = group;
    const framer = new LineFramer();
    let hasEnded = false;
    const ended = (why: string): void => {
      if (hasEnded) return;
      hasEnded = true;
      this.#lost(group, why);
    };
    child.on('exit', (code, signal) => {
      // What it said last is on its way still. But a child that keeps the pipe open must not hide that the
      // server is gone.
      const heardAll = (): void => {
        cancelAlarm();
        for (const framed of framer.end()) this.events.onMessage(framed);
        ended(this.#reasonOf(code, signal));
      };
      const cancelAlarm = this.clock.alarm(LAST_WORDS_MS, true, heardAll);
      child.once('close', heardAll);
    });
    child.on('error', (error) => ended(`${command} cannot be started: ${error.message}`));
    // A write to a server that just ended: its exit says all there is to say.
    child.stdin?.on('error', () => {});
    const { stdin } = child;
    this.#writer =
      stdin === null ? undefined : new LineWriter(stdin, (isFull) => this.events.onFull?.(isFull));
    if (this.#isHeld) child.stdout?.pause();
    child.stdout?.on('data', (chunk: Buffer) => {
      for (const framed of framer.push(chunk)) this.events.onMessage(framed);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      const text = chunk.toString('utf8');
      this.#stderr = `${this.#stderr}${text}`.slice(-KEPT_STDERR);
      this.events.onPrinted(text);
    });
    return group;
  }

  #reasonOf(code: number | null, signal: NodeJS.Signals | null): string {
    const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
    const said = this.#stderr.trim();
    return `the server ended ${how}${said === '' ? '' : `; it last printed: ${said.slice(-300)}`}`;
  }

  #lost(group: ProcessGroup, why: string): void {
    if (group !== this.#group) return;
    this.#state = 'ended';
    this.#waiting = [];
    // Its successor has read all there is.
    this.events.onFull?.(false);
    void group.end((ms) => this.clock.sleep(ms));
    this.#begun?.reject(new UpstreamLost(false, why));
    const ready = new Promise<void>((resolve, reject) => {
      this.#begun = { resolve, reject };
    });
    // Who waits for it hears of it; nobody may.
    ready.catch(() => {});
    this.#ready = ready;
    this.events.onLost(why);
    if (this.#isClosing) {
      this.#begun?.reject(new UpstreamLost(false, why));
      return;
    }
    const waitMs = Math.min(RESTART_CAP_MS, RESTART_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.clock.alarm(waitMs, true, () => this.#restart());
  }

  #restart(): void {
    if (this.#isClosing) return;
    this.#stderr = '';
    this.#group = this.#start();
    this.#state = 'beginning';
    const group = this.#group;
    this.events.onRestarted().then(
      () => {
        if (group !== this.#group || this.#state !== 'beginning') return;
        this.#state = 'working';
        this.#failures = 0;
        this.#begun?.resolve();
        this.#begun = undefined;
        this.#ready = undefined;
        for (const message of this.#waiting.splice(0)) this.send(message, 'in-turn');
      },
      () => group.signal('SIGKILL'),
    );
  }
}
