import { attemptTimeoutMs } from '@holdfast/tool-registry';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { type Admitted, effectSoFar, type Recalled, refuse, type Stopped } from './call.js';

/** May it run now, in this run? An irreversible effect waits for its checkpoint to be durable. */
export async function admit(call: Recalled, parts: GateParts): Promise<Admitted | Stopped> {
  const { contract, host, request } = call;
  const effect = effectSoFar(call);
  const cancelled = (): Stopped => refuse(call, failed('cancelled', effect, { by: 'caller' }));
  if (request.signal?.aborted) return cancelled();
  if (host.barrier !== undefined && needsBarrier(call) && !parts.removed.has('barrier')) {
    const missing = await host.barrier(request.signal);
    if (request.signal?.aborted) return cancelled();
    if (missing !== undefined) return refuse(call, failed('not_durable', effect, missing));
  }
  const declared = contract.declared ? attemptTimeoutMs(contract.entry) : undefined;
  // Somebody's call waits for what the guard itself asks, so that always has an end.
  const timeoutMs = declared ?? (host.isOwn ? parts.limits.probeTimeoutMs : undefined);
  return { ...call, at: 'admitted', ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

function needsBarrier(call: Recalled): boolean {
  return call.contract.class === 'irreversible';
}
