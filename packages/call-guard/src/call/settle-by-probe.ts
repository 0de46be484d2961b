import type { Effect, EffectIn } from '@holdfast/effect-ledger';
import type { GateParts } from '../gate-parts.js';
import type { Finding } from '../recovery/probe.js';
import type { Validated } from './call.js';
import { sentArguments } from './frozen-arguments.js';
import { rowOf, success } from './settle.js';
import { subjectOf } from './subject.js';

/** A probe found the effect: its row becomes `succeeded`. Returns the row as it is then. */
export async function settleByProbe(
  call: Pick<Validated, 'request' | 'host' | 'contract' | 'args'>,
  effect: EffectIn<'unknown'>,
  finding: Extract<Finding, { found: 'one' }>,
  parts: GateParts,
): Promise<Effect> {
  const sent = call.contract.declared
    ? await sentArguments(effect, call.contract.entry)
    : undefined;
  const { evidence, result } = finding;
  const transition = await success(
    { ...call, args: sent?.args ?? call.args },
    effect,
    { evidence, by: 'probe', ...(result === undefined ? {} : { result }) },
    parts,
  );
  const moved = await parts.ledger.move(effect.key, { version: effect.version }, transition);
  const row = rowOf(moved) ?? effect;
  call.host.run.view.learn(row);
  if ('moved' in moved) {
    parts.emit('effect_settled', subjectOf(call, { key: effect.key }), {
      outcome: 'succeeded',
      by: 'probe',
    });
  }
  return row;
}
