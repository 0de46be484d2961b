import { elementsOf, memberOf } from './json-text.js';

export type MessageId = string | number;

/** An error as JSON-RPC writes it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
}

/** A JSON-RPC message, and the text that it came as: what is only passed on is passed on as it came. */
export type Message =
  | {
      readonly is: 'request';
      readonly id: MessageId;
      readonly method: string;
      readonly params: unknown;
      readonly text: string;
    }
  | {
      readonly is: 'notification';
      readonly method: string;
      readonly params: unknown;
      readonly text: string;
    }
  | {
      readonly is: 'response';
      readonly id: MessageId | null;
      readonly text: string;
      readonly error?: RpcError;
      /** Absent in an error. */
      readonly result?: unknown;
    };

export type RequestMessage = Extract<Message, { is: 'request' }>;
export type ResponseMessage = Extract<Message, { is: 'response' }>;

/** The messages of a line: one, those of a batch, or none where it is no JSON-RPC. */
export function readMessages(line: string): readonly Message[] {
  const value = parsed(line);
  if (Array.isArray(value)) {
    const messages = elementsOf(line).map((text, index) => messageOf(value[index], text));
    return messages.every((message) => message !== undefined) ? messages : [];
  }
  const message = messageOf(value, line);
  return message === undefined ? [] : [message];
}

/** Whether a line, or a part of its batch, would call a tool for whoever reads it with less care. */
export function callsTool(line: string): boolean {
  const value = parsed(line);
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return parts.some((part) => isRecord(part) && part.method === 'tools/call');
}

/** The text of one member of a message or of an object in it; undefined where there is none. */
export function memberText(text: string, ...path: readonly string[]): string | undefined {
  let inner: string | undefined = text;
  for (const name of path) {
    inner = inner?.trimStart().startsWith('{') === true ? memberOf(inner, name) : undefined;
  }
  return inner;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function messageOf(value: unknown, text: string): Message | undefined {
  if (!isRecord(value) || value.jsonrpc !== '2.0') return undefined;
  const { id, method, params, error } = value;
  if (typeof method === 'string') {
    if (id === undefined) return { is: 'notification', method, params, text };
    return isId(id) ? { is: 'request', id, method, params, text } : undefined;
  }
  if (id !== null && !isId(id)) return undefined;
  if (isRecord(error)) {
    return { is: 'response', id, text, error: rpcError(error) };
  }
  return 'result' in value ? { is: 'response', id, text, result: value.result } : undefined;
}

function rpcError({ code, message }: Readonly<Record<string, unknown>>): RpcError {
  return {
    code: typeof code === 'number' ? code : -32603,
    message: typeof message === 'string' ? message : '',
  };
}

function isId(id: unknown): id is MessageId {
  return typeof id === 'string' || typeof id === 'number';
}
