import { createGuard, memorySink } from '@holdfast/call-guard';
import { manualClock } from '@holdfast/call-guard/testing';
import { memoryLedger } from '@holdfast/effect-ledger';
import { assumed, defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { z } from 'zod';
import type { AnyClient } from './guard-client.js';

const of = { resourceGroup: 'desk', owner: 'desk@team', latency: assumed(1_000) };

const registry = defineRegistry({
  name: 'desk',
  resourceGroups: { desk: {} },
  tools: [
    defineTool({
      ...of,
      name: 'look',
      summary: 'Look something up.',
      input: z.looseObject({}),
      idempotency: read(),
    }),
    defineTool({
      ...of,
      name: 'pay',
      summary: 'Pay a bill.',
      input: z.object({ bill: z.string() }),
      idempotency: { class: 'irreversible' },
      compensation: { tool: 'none', avoidBy: 'accept', reason: 'a test' },
    }),
  ],
});

/** A guard of that desk under a test's clock. */
export function deskGuard() {
  const clock = manualClock();
  const events = memorySink();
  const ledger = memoryLedger({ now: clock.wallMs });
  const guard = createGuard({ registry, ledger, clock, events: [events], random: () => 0.5 });
  return { clock, events, ledger, guard };
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string };
}

const tools = ['look', 'pay', 'other'].map((name) => ({
  name,
  inputSchema: { type: 'object' as const },
}));

/** A server as its transport shows it: says hello and lists its tools by itself, the rest is the test's. */
export class DeskTransport {
  onmessage?: (message: Message) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  sessionId: string | undefined;
  /** The id of the session that it begins; undefined: it knows none. */
  givesSession: string | undefined;
  readonly heard: Message[] = [];
  /** What sending a call rejects with. */
  failing: ((message: Message) => unknown) | undefined;
  isOpen = false;
  version: string | undefined;

  async start(): Promise<void> {
    this.isOpen = true;
  }

  setProtocolVersion(version: string): void {
    this.version = version;
  }

  async send(message: Message): Promise<void> {
    const failure = this.failing?.(message);
    if (failure !== undefined) throw failure;
    this.heard.push(message);
    const { id, method, params } = message;
    if (method === 'initialize') {
      this.sessionId = this.givesSession;
      const result = {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'desk', version: '1' },
      };
      this.say({ id: id as string, result });
    } else if (method === 'tools/list') this.say({ id: id as string, result: this.page(params) });
  }

  /** What it lists. */
  page(_params: Message['params']): object {
    return { tools };
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.onclose?.();
  }

  /** The server ends it. */
  drop(): void {
    this.isOpen = false;
    this.onclose?.();
  }

  say(message: Message): void {
    this.onmessage?.({ jsonrpc: '2.0', ...message } as Message);
  }

  asked(method: string): readonly Message[] {
    return this.heard.filter((message) => message.method === method);
  }

  /** Answers the last call. */
  answer(result: object): void {
    this.say({ id: this.asked('tools/call').at(-1)?.id as string, result });
  }

  report(progress: number): void {
    const meta = this.asked('tools/call').at(-1)?.params?._meta as { progressToken: unknown };
    const params = { progressToken: meta.progressToken, progress };
    this.say({ method: 'notifications/progress', params });
  }
}

interface Client extends AnyClient {
  connect(transport: unknown): Promise<void>;
  callTool(params: object, ...rest: unknown[]): Promise<unknown>;
  listTools(params?: object): Promise<unknown>;
  request(asked: object, schema: unknown): Promise<unknown>;
  ping(): Promise<unknown>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** Clients of both versions of the SDK. */
export const clients: Readonly<Record<string, () => Client>> = {
  'version 1': () => new Client1({ name: 'test', version: '1' }),
  'version 2': () => new Client2({ name: 'test', version: '1' }),
};

export const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
