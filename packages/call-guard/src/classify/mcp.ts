import { type ErrorView, textAt } from './error-view.js';
import {
  badCredentials,
  badResult,
  busy,
  failedThere,
  lost,
  type Meaning,
  notAllowed,
  type Reading,
  refused,
  saidNo,
  unable,
  unsent,
} from './reading.js';

/** A server that has forgotten a session, or never knew it: it looked no further. */
const SESSION_LOST =
  /session (?:not found|expired|terminated)|no valid session|invalid session|(?:server )?not initialized/i;

/** Whether a server says that it does not know the session, and so has done nothing. */
export function saysSessionLost(text: string): boolean {
  return SESSION_LOST.test(text);
}

/** What the SDKs say. Texts come first: codes made here and codes from the server share their numbers. */
const byText: readonly (readonly [text: RegExp, meaning: Meaning])[] = [
  // After the effect: the answer came, and is not what the tool's schema promises.
  [/structured content does not match|output validation error/i, badResult],
  [/has an output schema but (?:no structured content|did not return)/i, badResult],
  // Before it.
  [SESSION_LOST, busy],
  [/^not connected$/i, unsent],
  [/input validation error|invalid arguments for tool/i, refused],
  [/tool \S+ (?:not found|disabled)|unknown tool/i, refused],
  // On the way.
  [/connection closed|request timed out|maximum total timeout exceeded/i, lost],
  [/^(?:fetch failed|terminated)$/i, lost],
];

/** All others (`-32603`, `-32000`, a server's own) say that it failed, and no more. */
const byCode: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['-32700', unable],
  ['-32600', refused],
  ['-32601', unable],
  ['-32602', refused],
  ['-32001', lost],
  ['-32002', refused],
  // The spec's own refusals: header mismatch, missing capability, protocol version.
  ['-32020', unable],
  ['-32021', unable],
  ['-32022', unable],
  // A person has to open a page first.
  ['-32042', notAllowed],
  // Version 2 of the SDK tells its own failures from the server's.
  ['REQUEST_TIMEOUT', lost],
  ['CONNECTION_CLOSED', lost],
  ['SEND_FAILED', lost],
  ['NOT_CONNECTED', unsent],
  ['INVALID_RESULT', badResult],
]);

const CLASSES = new Set([
  'McpError',
  'ProtocolError',
  'SdkError',
  'SdkHttpError',
  'StreamableHTTPError',
  'SseError',
  'UnauthorizedError',
]);

/** `MCP error -32602: `, once for each hop. */
const PREFIX = /^(?:MCP error (-?\d+): )+/;

/** `@langchain/mcp-adapters` keeps neither code nor cause. */
const ADAPTED = /^Error calling tool \S+: \w*Error: /;
const ADAPTED_RESULT = /^MCP tool '[^']*' on server '[^']*' returned an error: /;

/** An error of an MCP client, of either version of the SDK or of LangChain's adapter. */
export function readMcp(view: ErrorView): Reading | undefined {
  const { message } = view;
  if (ADAPTED_RESULT.test(message)) return readErrorResult(message.replace(ADAPTED_RESULT, ''));
  const text = message.replace(ADAPTED, '');
  const isMcp =
    CLASSES.has(view.name) ||
    CLASSES.has(view.className) ||
    PREFIX.test(text) ||
    ADAPTED.test(message) ||
    text === 'Not connected';
  if (!isMcp) return undefined;
  if (view.name === 'UnauthorizedError' || view.className === 'UnauthorizedError') {
    return { meaning: badCredentials };
  }
  const said = text.replace(PREFIX, '');
  const known = byText.find(([form]) => form.test(said))?.[1];
  // Another status of the transport is HTTP's to read.
  if (known === undefined && view.status !== undefined) return undefined;
  const code = PREFIX.exec(text)?.[1] ?? view.code?.toString();
  return {
    meaning: known ?? byCode.get(String(code)) ?? failedThere,
    code,
    message: said || undefined,
  };
}

/**
 * A result with `isError`: the SDKs put everything that went wrong on the server into its text.
 *
 * @param otherwise what a text of the tool's own means. By default it is an answer to the model, and no sign
 * of a server that fails.
 */
export function readErrorResult(text: string, otherwise: Meaning = saidNo): Reading {
  const said = text.replace(PREFIX, '');
  const known = byText.find(([form]) => form.test(said))?.[1];
  // The server speaks, so the way to it was open: what it lost is on its own way.
  const isTheirs = known === lost || known === unsent;
  return { meaning: isTheirs ? failedThere : (known ?? otherwise), message: said };
}

/** The text of an MCP result that says of itself that it is an error. */
export function errorTextOf(result: object): string | undefined {
  if (!('isError' in result) || result.isError !== true) return undefined;
  return textIn('content' in result ? result.content : undefined);
}

/** The text of a content, which is one text or a list of blocks. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks
    .flatMap((block) =>
      typeof block === 'object' && block !== null ? (textAt(block, 'text') ?? []) : [],
    )
    .join('\n');
}
