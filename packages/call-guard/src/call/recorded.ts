import type { Effect } from '@holdfast/effect-ledger';
import type { Registry } from '@holdfast/tool-registry';
import type { EffectSeen, FailureFacts } from '../failure.js';
import { failed } from '../next-step.js';
import type { CallAnswer } from './answer.js';
import { type Contract, fold, refuse, type Stopped } from './call.js';
import type { CallHost } from './host.js';
import { placeOf } from './place.js';
import type { CallRequest } from './request.js';
import { contractOf } from './resolve.js';
import { shape } from './shape.js';

/**
 * What there is to say of a call that nobody answered and nobody will make any more, as the ledger knows
 * it: its result, that its outcome is unknown, or that it never happened. Makes nothing happen.
 *
 * @param by why it will not be made any more
 */
export async function recorded(
  request: CallRequest,
  host: CallHost,
  by: 'caller' | 'newer-input',
  registry: Registry,
): Promise<CallAnswer<unknown>> {
  return shape(asWritten(request, host, by, registry));
}

function asWritten(
  request: CallRequest,
  host: CallHost,
  by: 'caller' | 'newer-input',
  registry: Registry,
): Stopped {
  const call = { request, host, contract: contractOf(request.tool, registry) };
  const { flaw } = request;
  if (flaw !== undefined) return refuse(call, failed(flaw.kind, 'none', flaw.details));
  const effect = host.run.view.atPlace(request.tool, placeOf({ request, host }))?.effect;
  if (effect === undefined) {
    return refuse(call, failed('cancelled', effectUnseen(call.contract, host), { by }));
  }
  const { key, state } = effect;
  switch (state) {
    case 'succeeded':
      host.run.consumed.add(key);
      return fold(call, effect, 'replayed');
    case 'failed':
    case 'suspended':
      return refuse(call, failed('cancelled', 'none', { by }), key);
    case 'attempting':
      return refuse(call, unknown(effect, effect.attempts.at(-1)?.startedAt ?? 0), key);
    case 'unknown':
      return refuse(call, unknown(effect, effect.since), key);
  }
}

/** Nothing has an effect that was not written down before; what a delegate did has rows of its own. */
function effectUnseen(contract: Contract, { run }: CallHost): EffectSeen {
  if (contract.class === 'read') return 'none';
  return run.view.isLoaded && contract.class !== 'delegates' ? 'none' : 'unknown';
}

function unknown({ key }: Effect, since: number): FailureFacts {
  return failed('outcome_unknown', 'unknown', { key, since, checking: false });
}
