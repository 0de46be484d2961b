import { type Effect, isLedgerError, type LedgerStore } from '@holdfast/effect-ledger';
import type { GateParts } from '../gate-parts.js';
import type { Soon } from '../soon.js';
import type { Settled, Stopped, Validated } from './call.js';
import { placeOf } from './place.js';
import { withParts } from './step.js';

/**
 * A refusal of a call that paused in the middle of its work: the steps that its earlier passes did are done,
 * whatever it is refused for now.
 */
export function withStepsBefore(
  end: Settled | Stopped,
  { host, request }: Validated,
  { ledger }: Pick<GateParts, 'ledger'>,
): Soon<Settled | Stopped> {
  if (end.at !== 'refused' || end.failure.effect !== 'none') return end;
  // Without the message's id a call id tells nothing.
  if (request.place?.messageId === undefined) return end;
  const row = host.run.view.atPlace(request.tool, placeOf({ host, request }))?.effect;
  return row?.state === 'suspended' ? withStepsOf(row, end, ledger) : end;
}

async function withStepsOf(
  row: Effect,
  end: Extract<Stopped, { at: 'refused' }>,
  ledger: LedgerStore,
): Promise<Stopped> {
  try {
    const done = (await ledger.find({ runId: row.runId })).flatMap(({ state, step }) =>
      state === 'succeeded' && step?.parent === row.key ? [step.name] : [],
    );
    return { ...end, failure: withParts(end.failure, done) };
  } catch (error) {
    if (isLedgerError(error)) return end;
    throw error;
  }
}
