import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { callParams, type Desk, type HostOptions, proxyCommand, type Said } from './host.js';

/** What a host hears of a stream: a message, or nothing but an id. */
export interface Heard {
  readonly id: string | undefined;
  readonly said: Said | undefined;
}

/** A proxy that listens for hosts. */
export class ListeningProxy {
  stderr = '';
  #url = '';

  private constructor(readonly child: ChildProcess) {}

  static async start(at: Desk, options: HostOptions): Promise<ListeningProxy> {
    const listening = ['--http', '127.0.0.1:0', ...(options.options ?? [])];
    const [command = '', ...args] = proxyCommand(at, { ...options, options: listening });
    const child = spawn(command, args, {
      env: { ...process.env, ...at.env },
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    const proxy = new ListeningProxy(child);
    const listens = new Promise<void>((resolve, reject) => {
      child.stderr?.on('data', (chunk: Buffer) => {
        proxy.stderr += chunk.toString();
        const url = /listening at (\S+)/.exec(proxy.stderr)?.[1];
        if (url === undefined) return;
        proxy.#url = url;
        resolve();
      });
      child.on('exit', () => reject(new Error(`it ended: ${proxy.stderr}`)));
    });
    await listens;
    return proxy;
  }

  get url(): string {
    return this.#url;
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill(signal);
      await once(this.child, 'exit');
    }
    return this.child.exitCode;
  }
}

/** A host that speaks HTTP to a proxy, one session. */
export class HttpHost {
  session: string | undefined;
  #nextId = 1;

  constructor(
    readonly url: string,
    private readonly more: Readonly<Record<string, string>> = {},
  ) {}

  headers(): Record<string, string> {
    return {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(this.session === undefined
        ? {}
        : { 'mcp-session-id': this.session, 'mcp-protocol-version': '2025-11-25' }),
      ...this.more,
    };
  }

  post(message: object | string, signal?: AbortSignal): Promise<Response> {
    const body =
      typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
    const headers = this.headers();
    return fetch(this.url, { method: 'POST', headers, body, signal: signal ?? null });
  }

  listen(lastEventId?: string): Promise<Response> {
    const last = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    return fetch(this.url, { headers: { ...this.headers(), ...last } });
  }

  leave(): Promise<Response> {
    return fetch(this.url, { method: 'DELETE', headers: this.headers() });
  }

  async begin(protocolVersion = '2025-11-25'): Promise<this> {
    const params = {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'host', version: '1' },
    };
    const response = await this.post({ id: 'i', method: 'initialize', params });
    this.session = response.headers.get('mcp-session-id') ?? undefined;
    await all(response);
    await this.post({ method: 'notifications/initialized' });
    return this;
  }

  /** Makes a request and gives all that comes on its stream. */
  async hear(method: string, params: object = {}): Promise<readonly Said[]> {
    this.#nextId += 1;
    return all(await this.post({ id: this.#nextId, method, params }));
  }

  async request(method: string, params: object = {}): Promise<Said> {
    const last = (await this.hear(method, params)).at(-1);
    if (last === undefined) throw new Error('no answer');
    return last;
  }

  call(name: string, args: object = {}, meta?: object): Promise<Said> {
    return this.request('tools/call', callParams(name, args, meta));
  }
}

/** The events of a stream as they come; comments are nothing. */
export async function* heard(response: Response): AsyncGenerator<Heard> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const event = text.slice(0, end);
      text = text.slice(end + 2);
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data === undefined) continue;
      const id = /^id: (.*)$/m.exec(event)?.[1];
      yield { id, said: data === '' ? undefined : (JSON.parse(data) as Said) };
    }
  }
}

/** All messages of a stream that ends. */
export async function all(response: Response): Promise<readonly Said[]> {
  const said: Said[] = [];
  for await (const one of heard(response)) if (one.said !== undefined) said.push(one.said);
  return said;
}
