import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Desk } from './host.js';

const program = fileURLToPath(new URL('http-desk-server.mjs', import.meta.url));

/** The server of `http-desk-server.mjs` as a process that can be killed, and started again at its address. */
export class HttpDesk {
  #child: ChildProcess | undefined;
  #port = 0;

  private constructor(private readonly at: Desk) {}

  static async start(at: Desk): Promise<HttpDesk> {
    const one = new HttpDesk(at);
    await one.restart();
    return one;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  async restart(): Promise<void> {
    await this.kill();
    const env = { ...process.env, ...this.at.env, PORT: String(this.#port) };
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    if (child.stdout === null) throw new Error('no output');
    const [port] = await once(createInterface({ input: child.stdout }), 'line');
    this.#port = Number(port);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async ended(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      await once(child, 'exit');
    }
  }
}
