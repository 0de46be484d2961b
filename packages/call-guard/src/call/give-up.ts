import { type Effect, isLedgerError } from '@holdfast/effect-ledger';
import type { GateParts } from '../gate-parts.js';
import type { Validated } from './call.js';
import { rowOf } from './settle.js';
import { subjectOf } from './subject.js';

/**
 * Ends a row that waits for a person who then said something else: nobody will answer it any more, and
 * nothing was sent, unless a try before the pause is in doubt. False for a row that may still be answered,
 * and where another process was first.
 */
export async function giveUp(call: Validated, effect: Effect, parts: GateParts): Promise<boolean> {
  const { host } = call;
  const leftBehind =
    effect.state === 'suspended' &&
    effect.place.threadId === host.run.threadId &&
    (host.leftBehind?.(effect.place) ?? false);
  if (!leftBehind) return false;
  const moved = await parts.ledger
    .move(
      effect.key,
      { version: effect.version },
      {
        to: 'failed',
        failureKind: 'given_up',
        evidence: { by: 'attempt', note: 'the conversation went on without it' },
      },
    )
    .catch((error: unknown) => {
      // The claim that comes next will say so.
      if (isLedgerError(error)) return undefined;
      throw error;
    });
  if (moved === undefined) return false;
  const row = rowOf(moved);
  if (row !== undefined) host.run.view.learn(row);
  if (!('moved' in moved)) return false;
  parts.emit('effect_settled', subjectOf(call, { key: effect.key }), {
    outcome: moved.moved.state === 'unknown' ? 'unknown' : 'failed',
    by: 'given-up',
  });
  return true;
}
