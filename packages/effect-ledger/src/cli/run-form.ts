import type { KnownRun } from '../sqlite/ledger-reader.js';

/** The status that was written down with its end, or that there was no end. */
export function statusOf({ record }: KnownRun): string {
  if (record === undefined) return 'not admitted';
  return record.ended?.status ?? 'open';
}

/** A run as `--json` prints it. Its input is told of, never printed. */
export function runJson(run: KnownRun): Readonly<Record<string, unknown>> {
  const { runId, threadId, activeAt, record, effects } = run;
  if (record === undefined) {
    return {
      runId,
      ...(threadId !== undefined && { threadId }),
      status: statusOf(run),
      activeAt,
      effects,
    };
  }
  const { input, ...rest } = record;
  return {
    ...rest,
    status: statusOf(run),
    ...(input !== undefined && { inputBytes: input.length }),
    effects,
  };
}
