import type { FailureFacts } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import type { Permit, Refusal } from '../protection/breakers.js';
import { effectSoFar, type Outcome, type Recalled, type TryPermit } from './call.js';
import { enforces } from './enforces.js';
import { sampleOf } from './sample.js';
import { subjectOf } from './subject.js';

/** What is known of a call before any of its tries. */
type Asking = Pick<Recalled, 'request' | 'host' | 'contract' | 'entrance'>;

const free: TryPermit = { end: () => {}, release: () => {} };

/** Asks the breakers of the tool and of its resource group for one try, or says why there is none. */
export function askPermit(
  call: Asking,
  timeoutMs: number | undefined,
  parts: GateParts,
): TryPermit | { readonly refused: FailureFacts } {
  const { contract, host, request } = call;
  // A tool without an entry works as it did before, and a delegating one is judged by the calls inside.
  if (!contract.declared || contract.class === 'delegates') return free;
  if (parts.removed.has('circuit-breaker') || host.run.modes['circuit-breaker'] === 'off') {
    return free;
  }
  const answer = parts.breakers.admit({
    tool: request.tool,
    group: contract.entry.resourceGroup,
    class: contract.class,
    leaseMs: timeoutMs,
  });
  if (!answer.admitted) {
    const effect = effectSoFar(call);
    const isManual = answer.state === 'manual';
    if (!isManual) host.run.off.add(request.tool);
    return withoutPermit(
      call,
      isManual ? failed('tool_disabled', effect, { by: 'operator' }) : openFailure(answer, effect),
      parts,
    );
  }
  // Other runs find out whether it works again; a probe of the guard itself is no step of this run.
  if (parts.offAfterOpen === 'run' && host.run.off.has(request.tool) && !host.isOwn) {
    const refused = withoutPermit(
      call,
      failed('tool_disabled', effectSoFar(call), { by: 'run' }),
      parts,
    );
    if ('refused' in refused) {
      answer.record('neutral', 'tool');
      return refused;
    }
  }
  return new HeldPermit(answer, call, parts);
}

/** No permit; a free one where the breakers only watch. */
function withoutPermit(
  call: Asking,
  failure: FailureFacts,
  parts: GateParts,
): TryPermit | { readonly refused: FailureFacts } {
  return enforces('circuit-breaker', call, failure, parts) ? { refused: failure } : free;
}

function openFailure(
  { scope, sinceMs, retryAfterMs }: Refusal,
  effect: 'none' | 'unknown',
): FailureFacts {
  return failed('circuit_open', effect, { since: sinceMs, retryAfterMs, scope });
}

/** What the breakers let through, until it is said what became of it. */
class HeldPermit implements TryPermit {
  constructor(
    private readonly permit: Permit,
    private readonly call: Asking,
    private readonly parts: GateParts,
  ) {}

  end(outcome: Outcome, tookMs: number, nowMs: number): void {
    const { call, parts } = this;
    const { sample, about } = sampleOf(outcome);
    this.permit.record(sample, about, tookMs, nowMs);
    if (sample === 'success') tellOfDrift(call, parts);
    if (sample === 'failure' && isOpen(call, parts)) call.host.run.off.add(call.request.tool);
  }

  release(): void {
    this.permit.record('neutral', 'tool');
  }
}

/** A profile that is far from what is observed: its timeouts and its admission are wrong. */
function tellOfDrift({ contract, host, request }: Asking, parts: GateParts): void {
  if (!contract.declared) return;
  const drifted = parts.profileDrift.look(contract.entry, (tool) => parts.breakers.p99Ms(tool));
  if (drifted === undefined) return;
  parts.emit('warning', subjectOf({ request, host, contract }), {
    code: 'profile_drifted',
    message: `${request.tool}: the observed p99 is ${Math.round(drifted.observedMs)} ms, declared are ${drifted.declaredMs} ms; measure its latency again`,
  });
}

/** Whether a breaker would stop the next try. */
export function isOpen(call: Pick<Recalled, 'request' | 'contract'>, parts: GateParts): boolean {
  if (!call.contract.declared) return false;
  const { resourceGroup } = call.contract.entry;
  return (
    parts.breakers.health(call.request.tool)?.state === 'open' ||
    parts.breakers.health(resourceGroup, 'group')?.state === 'open'
  );
}
