import { attemptTimeoutMs, SetupError } from '@holdfast/tool-registry';
import { currentTime } from '../call-context.js';
import { neededMs } from '../expected-latency.js';
import type { FailureFacts } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { shorter, type TimeLeft } from '../run/deadline.js';
import { effectSoFar, type Recalled, type TryTime, type Validated } from './call.js';
import { enforces } from './enforces.js';
import type { CallHost } from './host.js';
import type { CallRequest } from './request.js';
import { subjectOf } from './subject.js';

/** Less than this is no time for anything, in milliseconds. */
const LEAST_USEFUL_MS = 1;

/**
 * What bounds a call: the work around it, its run, and its own time from now on. What the guard asks for
 * itself has its own time only: the truth is worth finding out for a run that is over.
 *
 * @throws SetupError `option_out_of_range` for a `deadlineMs` that is no number
 */
export function timeOf(
  { deadlineMs }: CallRequest,
  { run, isOwn }: CallHost,
  { clock }: Pick<GateParts, 'clock'>,
): TimeLeft {
  const around = isOwn ? UNBOUNDED : (currentTime() ?? run.budget.deadline);
  if (deadlineMs === undefined) return around;
  if (typeof deadlineMs !== 'number' || Number.isNaN(deadlineMs)) {
    throw new SetupError('option_out_of_range', [
      {
        field: 'deadlineMs',
        reason: `${String(deadlineMs)} is no number of milliseconds`,
        fix: 'give what is left for the call, in milliseconds',
      },
    ]);
  }
  const endsAt = clock.monotonicMs() + deadlineMs;
  return shorter(around, { leftMs: () => Math.max(0, endsAt - clock.monotonicMs()) });
}

const UNBOUNDED: TimeLeft = { leftMs: () => Number.POSITIVE_INFINITY };

/**
 * How long the next try may take: what its entry says, longer after a timeout, and never more than what
 * the deadline leaves after its reserves.
 *
 * @param timeouts how many tries of the call timed out
 */
export function timeFor(
  call: Pick<Validated, 'contract' | 'host' | 'time'>,
  timeouts: number,
  parts: GateParts,
): TryTime {
  const { contract, host } = call;
  const own = contract.declared ? attemptTimeoutMs(contract.entry) : undefined;
  const grown =
    own === undefined || timeouts === 0 ? own : own * parts.limits.timeoutGrowth ** timeouts;
  const leftMs = boundMs(call, parts);
  if (grown !== undefined && grown <= leftMs) return { timeoutMs: grown, timeoutLimit: 'tool' };
  if (!Number.isFinite(leftMs)) return { timeoutLimit: 'tool' };
  // The guard's own patience with what it asks is that tool's limit, not the run's.
  return { timeoutMs: leftMs, timeoutLimit: host.isOwn ? 'tool' : 'run' };
}

/**
 * The failure of a call that cannot finish in what is left; undefined where it can.
 *
 * @param waitMs what the call has to wait before it may begin, in milliseconds
 */
export function tooLittleTime(
  call: Recalled,
  parts: GateParts,
  waitMs = 0,
): FailureFacts | undefined {
  const { contract, host } = call;
  // What the guard asks to find out the truth is not started for the run's sake.
  if (host.isOwn) return undefined;
  const spendable = spendableMs(call, parts);
  if (!Number.isFinite(spendable)) return undefined;
  const workMs = contract.declared ? neededMs(contract.entry, parts.limits) : 0;
  const needed = waitMs + Math.max(LEAST_USEFUL_MS, workMs);
  if (needed <= spendable) return undefined;
  const leftMs = call.time.leftMs();
  const details = { neededMs: needed + (leftMs - spendable), leftMs };
  const failure = failed('deadline_exceeded', effectSoFar(call), details);
  if (!enforces('deadline', call, failure, parts)) return undefined;
  parts.emit('budget_exhausted', subjectOf(call), { budget: 'time', ...details });
  return failure;
}

/** Whether the deadline, where it is acted on, leaves nothing any more. */
export function isTimeOver(call: Pick<Validated, 'host' | 'time'>, parts: GateParts): boolean {
  return boundMs(call, parts) < LEAST_USEFUL_MS;
}

/** The failure of a call whose time ran out before anything of it was sent; undefined where there is some left. */
export function noTimeLeft(
  call: Pick<Recalled, 'contract' | 'host' | 'time' | 'entrance' | 'request'>,
  parts: GateParts,
): FailureFacts | undefined {
  if (!isTimeOver(call, parts)) return undefined;
  const details = { neededMs: LEAST_USEFUL_MS, leftMs: call.time.leftMs() };
  parts.emit('budget_exhausted', subjectOf(call), { budget: 'time', ...details });
  return failed('deadline_exceeded', effectSoFar(call), details);
}

/** What a call of the run may take now, in milliseconds; Infinity where nothing bounds it. */
function spendableMs({ host, time }: Pick<Validated, 'host' | 'time'>, parts: GateParts): number {
  if (host.isOwn) return time.leftMs();
  if (parts.removed.has('deadline')) return Number.POSITIVE_INFINITY;
  return Math.max(0, time.leftMs() - host.run.budget.reservedMs());
}

/** As `spendableMs`, where the run's deadline is acted on. */
export function boundMs(call: Pick<Validated, 'host' | 'time'>, parts: GateParts): number {
  const acts = call.host.isOwn || call.host.run.modes.deadline === 'enforce';
  return acts ? spendableMs(call, parts) : Number.POSITIVE_INFINITY;
}
