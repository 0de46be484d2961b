import { isRecord } from '../message/message.js';

/** What a call did to the outside world. */
export type EffectSeen = 'none' | 'done' | 'unknown';

/** How a tool's handler ended. */
export type Handled = { readonly result: unknown } | { readonly error: unknown };

/** How often a text may have been sent on as an error. */
const PREFIX = /^(?:MCP error -?\d+: )+/;

/** What the SDKs themselves answer instead of calling a tool, or after it. */
const sdkTexts: readonly (readonly [text: RegExp, effect: EffectSeen])[] = [
  [/^(?:input validation error|invalid arguments for tool)/i, 'none'],
  [/^tool .* (?:not found|disabled)$/is, 'none'],
  [/^output validation error/i, 'done'],
];

/** JSON-RPC errors that say that a request was not taken up. */
const refusals: ReadonlySet<unknown> = new Set([-32_700, -32_600, -32_601, -32_602]);

/**
 * What a call did that ended so. An error that nobody says anything about may mean anything.
 *
 * @param stated what the tool's own code says of its error
 * @param otherwise what an error means that nothing is known of
 */
export function effectOf(
  handled: Handled,
  stated: EffectSeen | undefined,
  otherwise: 'none' | 'unknown',
): EffectSeen {
  if ('error' in handled) {
    const { error } = handled;
    const code = isRecord(error) ? error.code : undefined;
    return stated ?? (refusals.has(code) ? 'none' : otherwise);
  }
  const { result } = handled;
  // A question back: the answer to it comes with another request under the same key.
  if (isRecord(result) && result.resultType === 'input_required') return 'none';
  if (!isErrorResult(result)) return 'done';
  const text = textOf(result).replace(PREFIX, '');
  return stated ?? sdkTexts.find(([form]) => form.test(text))?.[1] ?? otherwise;
}

export function isErrorResult(result: unknown): result is Readonly<Record<string, unknown>> {
  return isRecord(result) && result.isError === true;
}

/** What an error says, in one line. */
export function wordsOf(handled: Handled): string {
  if ('result' in handled) return textOf(handled.result);
  const { error } = handled;
  return error instanceof Error ? error.message : String(error);
}

function textOf(result: unknown): string {
  const content: unknown = isRecord(result) ? result.content : undefined;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks
    .flatMap((block) => (isRecord(block) && typeof block.text === 'string' ? [block.text] : []))
    .join('\n');
}
