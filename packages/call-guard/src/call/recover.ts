import type { Effect, EffectIn } from '@holdfast/effect-ledger';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { emitProbed, probeEffect } from '../recovery/probe.js';
import { isAssumedDone, recoveryOf } from '../recovery/recover.js';
import { fold, type Recalled, refuse, type Stopped, type Validated } from './call.js';
import { sentArguments } from './frozen-arguments.js';
import { ledgerFailure } from './ledger-failure.js';
import { howItAnswers } from './place.js';
import { assumedDone, type Settling, settleWithoutSending } from './settle-without-sending.js';

/** Whether another process has moved the row since it was read: what is known is answered first. */
export async function hasMoved(
  call: Validated,
  effect: Effect,
  parts: GateParts,
): Promise<boolean> {
  const [current] = await parts.ledger.find({ key: effect.key });
  if (current === undefined || current.version <= effect.version) return false;
  call.host.run.view.learn(current);
  return true;
}

/** An outcome is unknown: settle it if that is possible, never guess. `moved` where the row has gone on. */
export async function recover(
  call: Validated,
  effect: EffectIn<'unknown'>,
  parts: GateParts,
): Promise<Recalled | Stopped | 'moved'> {
  try {
    if (await hasMoved(call, effect, parts)) return 'moved';
    return await recoverAsItStands(call, effect, parts);
  } catch (error) {
    return refuse(call, ledgerFailure(error, 'unknown'), effect.key);
  }
}

async function recoverAsItStands(
  call: Validated,
  effect: EffectIn<'unknown'>,
  parts: GateParts,
): Promise<Recalled | Stopped> {
  const { contract, host } = call;
  const again = (why: 'resend' | 'probe-absent'): Recalled => ({
    ...call,
    at: 'recalled',
    entrance: { by: 're-entry', effect, why },
  });
  switch (recoveryOf(effect, contract, parts.clock.wallMs())) {
    case 'resend':
      return again('resend');
    case 'leave':
      return undecided(call, effect, false, parts);
    case 'probe': {
      if (!contract.declared || parts.removed.has('probe')) {
        return undecided(call, effect, false, parts);
      }
      const sent = await sentArguments(effect, contract.entry);
      const finding = await probeEffect(effect, contract.entry, sent?.args, host.run, parts);
      emitProbed(call, { key: effect.key }, finding, parts);
      switch (finding.found) {
        case 'absent':
          return again('probe-absent');
        case 'one':
          return settled(call, effect, { ...finding, by: 'probe' }, parts);
        case 'many':
          return unknown(call, effect, { checking: false, duplicate: true });
        case 'pending':
          return unknown(call, effect, { checking: true });
        case 'cannot-tell':
          return undecided(call, effect, true, parts);
      }
    }
  }
}

/** Nobody can tell: the entry says whether it counts as done. */
function undecided(
  call: Validated,
  effect: EffectIn<'unknown'>,
  checking: boolean,
  parts: GateParts,
): Promise<Stopped> | Stopped {
  return isAssumedDone(call.contract)
    ? settled(call, effect, assumedDone, parts)
    : unknown(call, effect, { checking });
}

async function settled(
  call: Validated,
  effect: EffectIn<'unknown'>,
  settling: Settling,
  parts: GateParts,
): Promise<Stopped> {
  const row = await settleWithoutSending(call, effect, settling, parts);
  return row.state === 'succeeded'
    ? fold(call, row, howItAnswers(call, row))
    : unknown(call, effect, { checking: true });
}

function unknown(
  call: Validated,
  effect: EffectIn<'unknown'>,
  known: { readonly checking: boolean; readonly duplicate?: boolean },
): Stopped {
  const details = { key: effect.key, since: effect.since, ...known };
  return refuse(call, failed('outcome_unknown', 'unknown', details), effect.key);
}
