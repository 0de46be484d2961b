import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Bundle } from './bundle.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
export const deskServer = ['node', here('desk-server.mjs')];

export interface Said {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: {
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A folder with a ledger and the effects that a server wrote down, shared by proxies that follow one another. */
export function desk() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mcp-'));
  const effects = join(folder, 'effects');
  return {
    folder,
    ledger: join(folder, 'ledger.db'),
    env: { EFFECTS: effects },
    effects: (): readonly string[] =>
      existsSync(effects) ? readFileSync(effects, 'utf8').trimEnd().split('\n') : [],
  };
}
export type Desk = ReturnType<typeof desk>;

export interface HostOptions {
  readonly bundle: Bundle;
  readonly server?: readonly string[];
  /** The address of a server, instead of its command. */
  readonly upstream?: string;
  readonly withRegistry?: boolean;
  readonly options?: readonly string[];
  readonly isDirect?: boolean;
}

/** The command of a proxy. */
export function proxyCommand(
  at: Desk,
  { bundle, server, upstream, withRegistry = true, options = [] }: HostOptions,
): readonly string[] {
  return [
    process.execPath,
    bundle.program,
    '--ledger',
    at.ledger,
    '--name',
    'desk',
    ...(withRegistry ? ['--registry', bundle.registry] : []),
    ...options,
    ...(upstream === undefined ? ['--', ...(server ?? deskServer)] : ['--upstream', upstream]),
  ];
}

/** A host with a proxy before its server, or with the server itself, speaking lines. */
export class Host {
  readonly child: ChildProcess;
  readonly said: Said[] = [];
  readonly lines: string[] = [];
  stderr = '';
  readonly #waiting = new Set<() => void>();
  #nextId = 1;

  constructor(at: Desk, options: HostOptions) {
    const { server = deskServer, isDirect } = options;
    const [command = '', ...args] = isDirect === true ? server : proxyCommand(at, options);
    this.child = spawn(command, args, { cwd: root, env: { ...process.env, ...at.env } });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
      this.#wake();
    });
    if (this.child.stdout === null) throw new Error('no output');
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      this.lines.push(line);
      this.said.push(JSON.parse(line) as Said);
      this.#wake();
    });
    this.child.on('exit', () => this.#wake());
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  write(message: object): void {
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Makes a request and gives its id. */
  ask(method: string, params: object = {}, id: string | number = this.#nextId++): string | number {
    this.write({ id, method, params });
    return id;
  }

  async answer(id: string | number): Promise<Said> {
    const find = () => this.said.find((one) => one.id === id && one.method === undefined);
    await this.until(() => find() !== undefined);
    return find() as Said;
  }

  request(method: string, params: object = {}): Promise<Said> {
    return this.answer(this.ask(method, params));
  }

  call(name: string, args: object = {}, meta?: object): Promise<Said> {
    return this.request('tools/call', callParams(name, args, meta));
  }

  async begin(protocolVersion = '2025-11-25'): Promise<this> {
    await this.request('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'host', version: '1' },
    });
    this.write({ method: 'notifications/initialized' });
    return this;
  }

  /** Waits for something that a line, or the end of the process, makes true. */
  until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!isTrue() && !this.hasEnded) return;
        this.#waiting.delete(look);
        if (isTrue()) resolve();
        else reject(new Error(`it ended before: ${this.stderr}`));
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Ends its input, as a host does that goes away. */
  async leave(): Promise<number | null> {
    this.child.stdin?.end();
    return this.ended();
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.child.kill(signal);
    await this.ended();
  }

  async ended(): Promise<number | null> {
    if (!this.hasEnded) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }
}

export function callParams(name: string, args: object, meta?: object): object {
  return { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
}

export function textOf({ result }: Said): string {
  return result?.content?.[0]?.text ?? '';
}

export function failureIn({ result }: Said): { readonly kind: string; readonly effect: string } {
  return result?._meta?.['dev.holdfast/failure'] as { kind: string; effect: string };
}
