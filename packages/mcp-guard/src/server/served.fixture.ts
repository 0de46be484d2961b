import { Server as Server1 } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import {
  McpServer as McpServer2,
  ProtocolError,
  Server as Server2,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { isRecord } from '../message/message.js';
import type { AnyServer } from './honor-guard.js';

export interface Result {
  readonly [member: string]: unknown;
  readonly content?: readonly { readonly text: string }[];
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** What a server's one tool, `pay`, does. */
export type Pay = (bill: string, signal: AbortSignal) => Promise<Result>;

interface Answer {
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly data?: unknown };
}

const input = z.object({ bill: z.string() });
const info = { name: 'bills', version: '1' };
const tools = { capabilities: { tools: {} } };
const shaped = ({ content = [], ...rest }: Result) => ({
  content: content.map(({ text }) => ({ type: 'text' as const, text })),
  ...rest,
});
const asked = (params: unknown): string =>
  input.parse(isRecord(params) ? params.arguments : undefined).bill;

/** Servers with that tool, made by each version of the SDK, high and low. */
export const kinds: Readonly<Record<string, (pay: Pay) => AnyServer>> = {
  'McpServer of version 1': (pay) => {
    const server = new McpServer1(info);
    server.registerTool('pay', { inputSchema: input.shape }, async ({ bill }, { signal }) =>
      shaped(await pay(bill, signal)),
    );
    return server;
  },
  'Server of version 1': (pay) => {
    const server = new Server1(info, tools);
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) =>
      shaped(await pay(asked(params), signal)),
    );
    return server;
  },
  'McpServer of version 2': (pay) => {
    const server = new McpServer2(info);
    server.registerTool('pay', { inputSchema: input }, async ({ bill }, { mcpReq }) =>
      shaped(await pay(bill, mcpReq.signal)),
    );
    return server;
  },
  'Server of version 2': (pay) => {
    const server = new Server2(info, tools);
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) =>
      shaped(await pay(asked(params), mcpReq.signal)),
    );
    return server;
  },
};

/** Errors as handlers of the two versions throw them. */
export const refusals = [new McpError(-32_602, 'no'), new ProtocolError(-32_602, 'no')];

/** Connects a server to a test, which speaks raw messages. */
export async function speakWith(server: AnyServer) {
  const answers = new Map<unknown, Answer>();
  const transport: {
    onmessage?: (message: object) => void;
    start(): Promise<void>;
    close(): Promise<void>;
    send(message: Answer & { readonly id?: unknown }): Promise<void>;
  } = {
    start: async () => {},
    close: async () => {},
    send: async (message) => void answers.set(message.id, message),
  };
  await server.connect(transport as never);
  const say = (message: object): void => transport.onmessage?.({ jsonrpc: '2.0', ...message });
  say({
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info },
  });
  return {
    answers,
    cancel: (requestId: string) =>
      say({ method: 'notifications/cancelled', params: { requestId, reason: 'enough' } }),
    call: (id: string, args: object, meta: object = {}, name = 'pay') =>
      say({ id, method: 'tools/call', params: { name, arguments: args, _meta: meta } }),
  };
}
