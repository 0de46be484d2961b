import type { Effect, EffectIn } from '@holdfast/effect-ledger';
import type { GateParts } from '../gate-parts.js';
import type { Validated } from './call.js';
import { sentArguments } from './frozen-arguments.js';
import { type Known, rowOf, success } from './settle.js';
import { subjectOf } from './subject.js';

/** What an entry's policy says of an outcome that nobody can tell. */
export const assumedDone: Settling = {
  by: 'policy',
  evidence: { onUnknown: 'assume-done' },
};

/** What is known of an unknown outcome without sending anything again. */
export type Settling = Pick<
  Extract<Known, { by: 'probe' | 'policy' }>,
  'by' | 'evidence' | 'result'
>;

/**
 * An unknown outcome counts as done, because a probe found the effect or because its entry says so: its
 * row becomes `succeeded`. Returns the row as it is then.
 */
export async function settleWithoutSending(
  call: Pick<Validated, 'request' | 'host' | 'contract' | 'args'>,
  effect: EffectIn<'unknown'>,
  settling: Settling,
  parts: GateParts,
): Promise<Effect> {
  const sent = call.contract.declared
    ? await sentArguments(effect, call.contract.entry)
    : undefined;
  const transition = await success(
    { ...call, args: sent?.args ?? call.args },
    effect,
    settling,
    parts,
  );
  const moved = await parts.ledger.move(effect.key, { version: effect.version }, transition);
  const row = rowOf(moved) ?? effect;
  call.host.run.view.learn(row);
  if ('moved' in moved) {
    parts.emit('effect_settled', subjectOf(call, { key: effect.key }), {
      outcome: 'succeeded',
      by: settling.by,
    });
  }
  return row;
}
