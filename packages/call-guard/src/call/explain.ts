import type { EffectKey } from '@holdfast/effect-ledger';
import type { Registry } from '@holdfast/tool-registry';
import { classify } from '../classify/classify.js';
import type { Clock } from '../clock.js';
import type { Failure, FailureFacts } from '../failure.js';
import { failed, withEffect } from '../next-step.js';
import type { Run } from '../run/run.js';
import { placeOf } from './place.js';
import type { CallRequest } from './request.js';
import { failureOf } from './shape.js';

/**
 * A failure that happened around the gate, as the contract says it: what is written down of the call, and
 * not the error, decides about its effect. It counts in the run's report.
 */
export function explain(
  request: CallRequest,
  run: Run,
  error: unknown,
  { registry, clock }: { readonly registry: Registry; readonly clock: Pick<Clock, 'wallMs'> },
): Failure {
  const entry = registry.tools.get(request.tool);
  const facts = classify(error, {
    class: entry?.idempotency.class ?? 'undeclared',
    effectOnError: 'unknown',
    notes: { keyCarried: false, requestsSent: 0, requestsRefused: 0 },
    wallMs: clock.wallMs(),
  });
  const known = asWritten(request, run, facts);
  const key = known.key === undefined ? {} : { key: known.key };
  const failure = failureOf({ request, host: { run }, ...key }, known.facts, 0);
  run.ends.note({ tool: request.tool, callId: request.callId, failure });
  return failure;
}

function asWritten(
  request: CallRequest,
  run: Run,
  facts: FailureFacts,
): { readonly facts: FailureFacts; readonly key?: EffectKey } {
  const effect = run.view.atPlace(request.tool, placeOf({ request, host: { run } }))?.effect;
  // Nothing has an effect that was not written down before.
  if (effect === undefined) return { facts: withEffect(facts, 'none') };
  const { key, state } = effect;
  switch (state) {
    case 'succeeded': {
      const reason = `something around the tool failed: ${facts.kind}`;
      return { facts: failed('result_not_kept', 'done', { key, reason }, facts.cause), key };
    }
    case 'failed':
    case 'suspended':
      return { facts: withEffect(facts, 'none'), key };
    case 'attempting':
    case 'unknown':
      return { facts: withEffect(facts, 'unknown'), key };
  }
}
