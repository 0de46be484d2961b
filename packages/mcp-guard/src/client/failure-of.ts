import type { FailureFacts } from '@holdfast/call-guard';
import { isRecord } from '../message/message.js';
import { META } from '../proxy/meta.js';

/** A failure as it travels in a result: what happened, without texts and identity. */
export type ToldFailure = Omit<FailureFacts, 'cause'> & {
  readonly tool: string;
  readonly attempts?: number;
  readonly idempotencyKey?: string;
};

/**
 * Why a guarded call failed, as the result of `callTool` says it; undefined for a success, and for a result of somebody
 * else.
 *
 * @example
 * const failure = failureOf(await client.callTool({ name: 'pay', arguments: { bill } }))
 * if (failure?.effect === 'unknown') await askSomebodyToLook(failure)
 */
export function failureOf(result: unknown): ToldFailure | undefined {
  const meta = isRecord(result) ? result._meta : undefined;
  const told = isRecord(meta) ? meta[META.failure] : undefined;
  return isToldFailure(told) ? told : undefined;
}

function isToldFailure(value: unknown): value is ToldFailure {
  return (
    isRecord(value) &&
    typeof value.kind === 'string' &&
    typeof value.effect === 'string' &&
    isRecord(value.next) &&
    isRecord(value.details)
  );
}
