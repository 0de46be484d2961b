import {
  type Duration,
  isSetupError,
  SetupError,
  type SetupProblem,
  toMilliseconds,
} from '@holdfast/tool-registry';

/** What bounds one run. */
export interface RunLimits {
  /**
   * Active time of the run's forward work, as milliseconds or a text such as `'40s'`; at least 100 ms.
   * Waiting for a person and downtime do not count. Default: unbounded.
   */
  readonly deadline?: Duration;
  /** A hard end that no waiting moves: a date, or wall-clock milliseconds. Default: none. */
  readonly deadlineAt?: Date | number;
}

/** Limits in numbers, as they are recorded with the run. */
export interface CheckedRunLimits {
  readonly deadlineMs?: number;
  readonly deadlineAtMs?: number;
}

const LEAST_DEADLINE_MS = 100;

/**
 * Reads the limits of a run.
 * @throws SetupError `option_out_of_range` naming the field, the value and the legal range.
 */
export function checkedRunLimits(limits: RunLimits | undefined): CheckedRunLimits {
  if (limits === undefined) return {};
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits)) {
    throw refused([
      { field: 'limits', reason: 'it is no object', fix: "give { deadline: '40s' }" },
    ]);
  }
  const problems: SetupProblem[] = Object.keys(limits)
    .filter((name) => name !== 'deadline' && name !== 'deadlineAt')
    .map((name) => ({
      field: `limits.${name}`,
      reason: 'there is no such limit',
      fix: 'use one of deadline, deadlineAt',
    }));
  const deadlineMs = deadlineOf(limits.deadline, problems);
  const deadlineAtMs = momentOf(limits.deadlineAt, problems);
  if (problems.length > 0) throw refused(problems);
  return {
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(deadlineAtMs === undefined ? {} : { deadlineAtMs }),
  };
}

function deadlineOf(deadline: Duration | undefined, problems: SetupProblem[]): number | undefined {
  if (deadline === undefined) return undefined;
  try {
    const ms = toMilliseconds(deadline, 'limits.deadline');
    if (ms >= LEAST_DEADLINE_MS) return ms;
    problems.push({
      field: 'limits.deadline',
      reason: `${ms} ms is out of range`,
      fix: `give at least ${LEAST_DEADLINE_MS} ms`,
    });
  } catch (error) {
    if (!isSetupError(error)) throw error;
    problems.push(...error.problems);
  }
  return undefined;
}

function momentOf(moment: Date | number | undefined, problems: SetupProblem[]): number | undefined {
  if (moment === undefined) return undefined;
  const ms = moment instanceof Date ? moment.getTime() : moment;
  if (Number.isFinite(ms)) return ms;
  problems.push({
    field: 'limits.deadlineAt',
    reason: `${String(moment)} is no moment`,
    fix: 'give a Date, or wall-clock milliseconds',
  });
  return undefined;
}

function refused(problems: readonly SetupProblem[]): SetupError {
  const [first, ...others] = problems;
  if (first === undefined) throw new TypeError('nothing is wrong with the limits');
  return new SetupError('option_out_of_range', [first, ...others]);
}
