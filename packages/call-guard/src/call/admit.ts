import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import type { ActionDigest } from '../run/loop-guard.js';
import type { Soon } from '../soon.js';
import {
  type Admitted,
  effectSoFar,
  isPolled,
  type Recalled,
  refuse,
  type Stopped,
} from './call.js';
import { type Changed, consent } from './consent.js';
import { draftOf } from './draft.js';
import { enforces } from './enforces.js';
import { askPermit } from './permit.js';
import { subjectOf } from './subject.js';
import { boundMs, noTimeLeft, timeFor, tooLittleTime } from './time.js';

/**
 * May it run now, in this run? Does it lead anywhere, does a person agree, is there time for it, does its
 * breaker let it through? An irreversible effect also waits for its checkpoint to be durable.
 */
export function admit(call: Recalled, parts: GateParts): Soon<Admitted | Changed | Stopped> {
  if (call.request.signal?.aborted) return cancelled(call, parts);
  const repeats = repeatsOf(call, parts);
  if (repeats !== undefined) return repeats;
  const pollMs = untilNextPollMs(call, parts);
  return pollMs > 0 || call.wish !== undefined
    ? admitAfterWaits(call, pollMs, parts)
    : admitNow(call, parts);
}

async function admitAfterWaits(
  call: Recalled,
  pollMs: number,
  parts: GateParts,
): Promise<Admitted | Changed | Stopped> {
  const { host, request } = call;
  if (pollMs > 0) {
    // Where the deadline is not acted on, it does not shorten the wait either.
    const beyond = Number.isFinite(boundMs(call, parts))
      ? tooLittleTime(call, parts, pollMs)
      : undefined;
    if (beyond !== undefined) return refuse(call, beyond);
    try {
      await parts.clock.sleep(pollMs, request.signal);
    } catch {
      return cancelled(call, parts);
    }
  }
  const agreed = await consent(call, parts);
  if (agreed.at !== 'recalled') return agreed;
  if (host.barrier !== undefined && needsBarrier(call) && !parts.removed.has('barrier')) {
    const missing = await host.barrier(request.signal);
    if (request.signal?.aborted) return cancelled(call, parts);
    if (missing !== undefined) {
      return refuse(call, failed('not_durable', effectSoFar(call), missing));
    }
  }
  return admitNow(call, parts);
}

/** Last, and after all waits: the time that is left is what is left now. */
function admitNow(call: Recalled, parts: GateParts): Admitted | Stopped {
  const late = tooLittleTime(call, parts);
  if (late !== undefined) return refuse(call, late);
  const { timeoutMs, timeoutLimit } = timeFor(call, 0, parts);
  const permit = askPermit(call, timeoutMs, parts);
  if ('refused' in permit) return refuse(call, permit.refused);
  const admitted = draftOf(call);
  admitted.at = 'admitted';
  admitted.timeoutMs = timeoutMs;
  admitted.timeoutLimit = timeoutLimit;
  admitted.permit = permit;
  return admitted as Admitted;
}

/** The end of the run's time aborts what is around the call, too: then nobody gave up. */
function cancelled(call: Recalled, parts: GateParts): Stopped {
  const failure =
    noTimeLeft(call, parts) ?? failed('cancelled', effectSoFar(call), { by: 'caller' });
  return refuse(call, failure);
}

function needsBarrier(call: Recalled): boolean {
  return call.contract.class === 'irreversible';
}

/** The same action gave the same result too often; asked again on purpose it is no loop. */
function repeatsOf(call: Recalled, parts: GateParts): Stopped | undefined {
  const { contract, host } = call;
  if (host.isOwn || !contract.declared || isPolled(contract)) return undefined;
  return refuseLoop(call, call.action, parts);
}

/** Refuses an action that was seen to repeat; for calls that no tool answers, too. */
export function refuseLoop(
  call: Parameters<typeof refuse>[0] & Partial<Pick<Recalled, 'entrance'>>,
  action: ActionDigest,
  parts: GateParts,
): Stopped | undefined {
  const { run } = call.host;
  const repeats = run.loops.repeatsOf(action);
  if (repeats < parts.limits.maxRepeats || parts.removed.has('loop-guard')) return undefined;
  const { entrance } = call;
  const effect = entrance === undefined ? 'none' : effectSoFar({ entrance });
  const failure = failed('loop_detected', effect, { repeats });
  if (!enforces('loop-guard', call, failure, parts)) return undefined;
  run.loopRefusals += 1;
  run.loopedTools.add(call.request.tool);
  const digest = `${action.a.toString(16)}.${action.b.toString(16)}`;
  parts.emit('loop_detected', subjectOf(call), { detector: 'equal-results', repeats, digest });
  return refuse(call, failure);
}

/** How long a tool that is asked again on purpose keeps its distance still, in milliseconds; 0 or less: no longer. */
function untilNextPollMs({ action, contract, host }: Recalled, parts: GateParts): number {
  if (!contract.declared || contract.entry.pollingMs === undefined) return 0;
  const lastAt = host.run.loops.lastAt(action);
  return lastAt === undefined ? 0 : lastAt + contract.entry.pollingMs - parts.clock.monotonicMs();
}
