import { inBandFailure } from '../classify/in-band.js';
import type { AttemptSetting } from '../classify/reading-facts.js';
import type { FailureFacts } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import type { Declared } from './call.js';
import { subjectOf } from './subject.js';

/**
 * The failure that a tool returned instead of throwing it. An entry whose `failureWhen` throws recognizes
 * nothing, and that is said: a result is never lost to its own check.
 */
export function failureAmongResults(
  output: unknown,
  call: Declared,
  setting: AttemptSetting,
  parts: GateParts,
): FailureFacts | undefined {
  const { contract, host, request } = call;
  const raw = host.rawResult === undefined ? output : host.rawResult(output);
  const typed = (): unknown => (host.typedResult === undefined ? output : host.typedResult(output));
  try {
    return inBandFailure({ raw, typed }, contract.declared ? contract.entry : undefined, setting);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    parts.emit('warning', subjectOf(call, { key: call.effect?.key, attemptId: call.attemptId }), {
      code: 'result_invalid',
      message: `the result of ${request.tool} could not be checked for a failure: ${why}`,
    });
    return undefined;
  }
}
