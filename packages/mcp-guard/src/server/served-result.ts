import { forModel, StatedFailure } from '@holdfast/call-guard';
import { isRecord } from '../message/message.js';
import { META } from '../proxy/meta.js';
import type { Refusal } from './served-call.js';
import type { EffectSeen } from './served-effect.js';

/** A tool's result, as the SDKs take it. */
export type Result = Readonly<Record<string, unknown>>;

/** What a caller is told whose call is not made, or not waited for. */
export function refusalResult(
  tool: string,
  { kind, details }: Refusal,
  effect: EffectSeen,
): Result {
  const { facts } = new StatedFailure(kind, effect, details);
  const told = { kind, effect, next: facts.next, details, tool };
  return {
    content: [{ type: 'text', text: forModel(tool, facts) }],
    isError: true,
    _meta: { [META.failure]: told, [META.effect]: effect },
  };
}

/** The same result with more in its `_meta`. */
export function withMeta(result: unknown, added: Readonly<Record<string, unknown>>): unknown {
  if (!isRecord(result)) return result;
  const before = isRecord(result._meta) ? result._meta : {};
  return { ...result, _meta: { ...before, ...added } };
}

/** The same error, which says in its data what the call did. */
export function withEffect(error: unknown, effect: EffectSeen): unknown {
  if (!(error instanceof Error)) return error;
  const before: unknown = 'data' in error ? error.data : undefined;
  if (before !== undefined && !isRecord(before)) return error;
  const data = { ...before, [META.effect]: effect };
  // Of the same class, with the same code: the SDKs look at both.
  return Object.create(error, {
    data: { value: data, enumerable: true },
    message: { value: error.message },
  });
}
