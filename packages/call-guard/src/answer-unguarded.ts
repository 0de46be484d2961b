import type { CallAnswer } from './call/answer.js';
import type { CallHost } from './call/host.js';
import type { CallRequest, Execute } from './call/request.js';
import { failureOf } from './call/shape.js';
import { classify } from './classify/classify.js';
import type { GateParts } from './gate-parts.js';
import { passBy } from './pass-by.js';

/** A call of a run that is not enforced, as an answer: it happened once, whatever became of it. */
export async function answerUnguarded(
  request: CallRequest,
  host: CallHost,
  execute: Execute<unknown, unknown>,
  parts: GateParts,
): Promise<CallAnswer<unknown>> {
  try {
    const result = await passBy(request, host, (context) => execute(request.args, context), parts);
    return { ok: true, result, folded: false, attempts: 1, repairs: [], warnings: [] };
  } catch (error) {
    const facts = classify(error, {
      class: parts.registry.tools.get(request.tool)?.idempotency.class ?? 'undeclared',
      effectOnError: 'unknown',
      notes: { keyCarried: false, requestsSent: 0, requestsRefused: 0 },
      wallMs: parts.clock.wallMs(),
    });
    return { ok: false, failure: failureOf({ request, host }, facts, 1) };
  }
}
