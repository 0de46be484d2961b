import type { GateParts } from '../gate-parts.js';
import { RequestWatch } from '../request-watch.js';
import type { Declared } from './call.js';
import { subjectOf } from './subject.js';

/** The clocks and the eye on the requests that the tool's own code makes. */
export function watchRequests(call: Declared, parts: GateParts): RequestWatch {
  const { contract, effect, request, attemptId } = call;
  return new RequestWatch({
    clock: parts.clock,
    ...(contract.declared ? contract.entry.timeouts : {}),
    inDoubtAfter: inDoubtAfter(call),
    onRepeated: (host) =>
      parts.emit('warning', subjectOf(call, { key: effect?.key, attemptId }), {
        code: 'retries_below',
        message: `${request.tool} sent a request to ${host} again after it failed: a client inside of it retries by itself, which multiplies with the guard's retries. Switch that off there (set maxRetries: 0).`,
      }),
  });
}

/** A read does no harm, a keyed write has its key, and a tool without an entry works as it did before. */
function inDoubtAfter({ contract }: Declared): 'never' | 'loss' | 'error' {
  const idempotency = contract.declared ? contract.entry.idempotency : undefined;
  if (idempotency?.class !== 'irreversible') return 'never';
  return idempotency.effectOnError === 'none' ? 'loss' : 'error';
}
