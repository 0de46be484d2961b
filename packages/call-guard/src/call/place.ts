import type { Effect, Place } from '@holdfast/effect-ledger';
import type { Validated } from './call.js';

/** Where the call stands. Without a conversation its id is its place. */
export function placeOf(call: Pick<Validated, 'request' | 'host'>): Place {
  const { threadId } = call.host.run;
  return {
    ...(threadId === undefined ? {} : { threadId }),
    ...call.request.place,
    callId: call.request.callId,
  };
}

/** A result of this very call is given again; of another one, it is an equal call's. */
export function howItAnswers(
  call: Pick<Validated, 'request' | 'host'>,
  { place, intentId }: Effect,
): 'replayed' | 'folded' {
  const own = placeOf(call);
  const isOwn =
    intentId === call.host.run.intentId &&
    // In a conversation whose messages have no ids a call id tells nothing.
    (call.request.place === undefined || own.messageId !== undefined) &&
    (['threadId', 'messageId', 'position', 'callId'] as const).every(
      (part) => place[part] === own[part],
    );
  return isOwn ? 'replayed' : 'folded';
}
