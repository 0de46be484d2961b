import {
  type CallAnswer,
  type Failure,
  type FieldTree,
  type ResultCodec,
  redactText,
  redactValue,
} from '@holdfast/call-guard';
import { elementsOf, membersOf, printMembers, withMember } from '../message/json-text.js';
import { isRecord, type MessageId, memberText } from '../message/message.js';
import { META } from './meta.js';

/** The result of a `tools/call`, and the text it came as. */
export interface CallResult {
  readonly text: string;
  readonly result: Readonly<Record<string, unknown>>;
}

export function isCallResult(value: unknown): value is CallResult {
  return isRecord(value) && typeof value.text === 'string' && isRecord(value.result);
}

/**
 * A result as the server wrote it.
 *
 * @param result what the text says, where it has been read already
 */
export function callResult(text: string, result: unknown = JSON.parse(text)): CallResult {
  return { text, result: isRecord(result) ? result : {} };
}

/** A result as it was written; a value that a probe found, as a server would write it. */
export function textOf(value: unknown): string {
  return isCallResult(value) ? value.text : presented(value).text;
}

/** Kept and given again as it was written. */
export const resultCodec: ResultCodec = {
  encode: async (result) => ({
    type: 'mcp',
    bytes: new TextEncoder().encode(textOf(result)),
  }),
  decode: async ({ bytes }) => callResult(new TextDecoder().decode(bytes)),
};

/** A result without fields that must not be kept: of its structured content, and of texts that are JSON. */
export function redacted(result: unknown, fields: FieldTree): unknown {
  if (!isCallResult(result)) return redactValue(result, fields);
  const members = new Map(membersOf(result.text));
  const structured = members.get('structuredContent');
  if (structured !== undefined) {
    const isNone = structured === 'null';
    members.set('structuredContent', isNone ? structured : redactText(structured, fields));
  }
  const content = members.get('content');
  if (content?.startsWith('[') === true) {
    members.set(
      'content',
      `[${elementsOf(content)
        .map((one) => blockWithout(one, fields))
        .join(',')}]`,
    );
  }
  return callResult(printMembers(members));
}

function blockWithout(written: string, fields: FieldTree): string {
  const block: unknown = JSON.parse(written);
  if (!isRecord(block) || typeof block.text !== 'string') return written;
  return withMember(written, 'text', JSON.stringify(redactText(block.text, fields)));
}

/** What an entry's `output` describes: the structured content, else the text, else all blocks. */
export function typedResult(output: unknown): unknown {
  if (!isCallResult(output)) return output;
  const { structuredContent, content } = output.result;
  if (structuredContent !== undefined) return structuredContent;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const [only, another] = blocks;
  const isText = another === undefined && isRecord(only) && only.type === 'text';
  return isText ? only.text : content;
}

/** The result that a server would have given, from a value that a probe found. */
export function presented(value: unknown): CallResult {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const structured = isRecord(value) ? { structuredContent: value } : {};
  return callResult(JSON.stringify({ content: [{ type: 'text', text }], ...structured }));
}

/** A response of the guard with a result, as text. */
export function resultResponse(id: MessageId, result: string): string {
  return response(id, 'result', result);
}

/** A response with an error; for requests that no server is there to answer. */
export function errorResponse(id: MessageId, message: string): string {
  return response(id, 'error', JSON.stringify({ code: -32603, message }));
}

/** The server's own response, to the request of the host. */
export function relabeled(text: string, id: MessageId): string {
  return withMember(text, 'id', JSON.stringify(id));
}

function response(id: MessageId, member: 'result' | 'error', value: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"${member}":${value}}`;
}

/** A success, with what there is to say of it beside. */
export function successText(answer: Extract<CallAnswer<unknown>, { ok: true }>): string {
  const { result, folded, repairs, warnings } = answer;
  const isAsItCame = folded === false && repairs.length === 0 && warnings.length === 0;
  if (isAsItCame) return textOf(result);
  const told = [...repairs.map((repair) => `argument_repaired: ${repair}`), ...warnings];
  return withMeta(textOf(result), {
    ...(folded === false ? {} : { [META.folded]: folded }),
    ...(told.length === 0 ? {} : { [META.warnings]: told }),
  });
}

/**
 * A failure as the model reads it: the server's own result, where it gave one that says so, else the
 * guard's text.
 */
export function failureText(
  failure: Failure,
  said: CallResult | undefined,
  hasOutputSchema: boolean,
): string {
  const told = toldOf(failure);
  if (said !== undefined) return withMeta(said.text, { [META.failure]: told });
  return JSON.stringify({
    content: [{ type: 'text', text: failure.forModel }],
    ...(hasOutputSchema ? {} : { structuredContent: { failure: told } }),
    isError: true,
    _meta: { [META.failure]: told },
  });
}

/** What of a failure travels: no causes, no texts. */
function toldOf(failure: Failure): Readonly<Record<string, unknown>> {
  const { kind, effect, next, details, tool, attempts, idempotencyKey, stepsDone } = failure;
  return {
    kind,
    effect,
    next,
    details,
    tool,
    attempts,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(stepsDone === undefined ? {} : { stepsDone }),
  };
}

function withMeta(result: string, added: Readonly<Record<string, unknown>>): string {
  const before = memberText(result, '_meta');
  const meta = Object.entries(added).reduce(
    (text, [name, value]) => withMember(text, name, JSON.stringify(value)),
    before?.startsWith('{') === true ? before : '{}',
  );
  return withMember(result, '_meta', meta);
}
