import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { actionDigest } from '../run/loop-guard.js';
import { type Admitted, effectSoFar, type Recalled, refuse, type Stopped } from './call.js';
import { type Changed, consent } from './consent.js';
import { enforces } from './enforces.js';
import { askPermit } from './permit.js';
import { subjectOf } from './subject.js';
import { boundMs, noTimeLeft, timeFor, tooLittleTime } from './time.js';

/**
 * May it run now, in this run? Does it lead anywhere, does a person agree, is there time for it, does its
 * breaker let it through? An irreversible effect also waits for its checkpoint to be durable.
 */
export async function admit(
  call: Recalled,
  parts: GateParts,
): Promise<Admitted | Changed | Stopped> {
  const { host, request } = call;
  const effect = effectSoFar(call);
  // The end of the run's time aborts what is around the call, too: then nobody gave up.
  const cancelled = (): Stopped =>
    refuse(call, noTimeLeft(call, parts) ?? failed('cancelled', effect, { by: 'caller' }));
  if (request.signal?.aborted) return cancelled();
  const repeats = repeatsOf(call, parts);
  if (repeats !== undefined) return repeats;
  const pollMs = untilNextPollMs(call, parts);
  if (pollMs > 0) {
    // Where the deadline is not acted on, it does not shorten the wait either.
    const beyond = Number.isFinite(boundMs(call, parts))
      ? tooLittleTime(call, parts, pollMs)
      : undefined;
    if (beyond !== undefined) return refuse(call, beyond);
    try {
      await parts.clock.sleep(pollMs, request.signal);
    } catch {
      return cancelled();
    }
  }
  const agreed = await consent(call, parts);
  if (agreed.at !== 'recalled') return agreed;
  if (host.barrier !== undefined && needsBarrier(call) && !parts.removed.has('barrier')) {
    const missing = await host.barrier(request.signal);
    if (request.signal?.aborted) return cancelled();
    if (missing !== undefined) return refuse(call, failed('not_durable', effect, missing));
  }
  // Last, and again after each wait: the time that is left is what is left now.
  const late = tooLittleTime(call, parts);
  if (late !== undefined) return refuse(call, late);
  const time = timeFor(call, 0, parts);
  const permit = askPermit(call, time.timeoutMs, parts);
  if ('refused' in permit) return refuse(call, permit.refused);
  return { ...call, ...time, at: 'admitted', permit };
}

function needsBarrier(call: Recalled): boolean {
  return call.contract.class === 'irreversible';
}

/** The same action gave the same result too often; asked again on purpose it is no loop. */
function repeatsOf(call: Recalled, parts: GateParts): Stopped | undefined {
  const { contract, host, request } = call;
  if (host.isOwn || !contract.declared || contract.entry.pollingMs !== undefined) return undefined;
  return refuseLoop(call, actionDigest(request.tool, request.args), parts);
}

/** Refuses an action that was seen to repeat; for calls that no tool answers, too. */
export function refuseLoop(
  call: Parameters<typeof refuse>[0] & Partial<Pick<Recalled, 'entrance'>>,
  digest: ReturnType<typeof actionDigest>,
  parts: GateParts,
): Stopped | undefined {
  const { run } = call.host;
  const repeats = run.loops.repeatsOf(digest);
  if (repeats < parts.limits.maxRepeats || parts.removed.has('loop-guard')) return undefined;
  const { entrance } = call;
  const effect = entrance === undefined ? 'none' : effectSoFar({ entrance });
  const failure = failed('loop_detected', effect, { repeats });
  if (!enforces('loop-guard', call, failure, parts)) return undefined;
  run.loopRefusals += 1;
  run.loopedTools.add(call.request.tool);
  parts.emit('loop_detected', subjectOf(call), { detector: 'equal-results', repeats, digest });
  return refuse(call, failure);
}

/** How long a tool that is asked again on purpose keeps its distance still, in milliseconds; 0 or less: no longer. */
function untilNextPollMs({ contract, host, request }: Recalled, parts: GateParts): number {
  if (!contract.declared || contract.entry.pollingMs === undefined) return 0;
  const lastAt = host.run.loops.lastAt(actionDigest(request.tool, request.args));
  return lastAt === undefined ? 0 : lastAt + contract.entry.pollingMs - parts.clock.monotonicMs();
}
