import type { Effect } from '@holdfast/effect-ledger';
import type { Registry } from '@holdfast/tool-registry';
import type { FailureFacts } from '../failure.js';
import { failed } from '../next-step.js';
import {
  type CallAnswer,
  type CallHost,
  type CallRequest,
  fold,
  refuse,
  type Stopped,
} from './call.js';
import { placeOf } from './recall.js';
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
  const effect = rowOfCall(request, host);
  if (effect === undefined) {
    // Nothing has an effect that was not written down before; what a delegate did has rows of its own.
    const seen = call.contract.class === 'delegates' ? 'unknown' : 'none';
    return refuse(call, failed('cancelled', seen, { by }));
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

function unknown({ key }: Effect, since: number): FailureFacts {
  return failed('outcome_unknown', 'unknown', { key, since, checking: false });
}

/** The row at the place of the call; where no conversation was at hand, its id was its place. */
function rowOfCall(request: CallRequest, host: CallHost): Effect | undefined {
  const { view } = host.run;
  const { tool } = request;
  const place = placeOf({ request, host });
  const { messageId: _, position: __, ...withoutConversation } = place;
  return (view.atPlace(tool, place) ?? view.atPlace(tool, withoutConversation))?.effect;
}
