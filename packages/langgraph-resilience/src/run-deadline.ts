import { onAbort, type Run } from '@holdfast/call-guard';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { AdapterParts } from './adapter-parts.js';

/**
 * The config of a run under the caller's signal and the end of the run's deadline: what then still waits,
 * for a model say, is aborted. Calls of guarded tools end earlier, each within what was left to it. `end`
 * takes the alarm and the listener away.
 */
export function deadlineOf(
  config: RunnableConfig,
  run: Run,
  { guard }: AdapterParts,
): { readonly config: RunnableConfig; end(): void } {
  const leftMs = run.budget.deadline.leftMs();
  if (!Number.isFinite(leftMs) || run.modes.deadline !== 'enforce') {
    return { config, end: () => {} };
  }
  const controller = new AbortController();
  const { signal } = config;
  const byCaller = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) byCaller();
  const letGo = onAbort(signal, byCaller);
  const cancelAlarm = guard.clock.alarm(leftMs, true, () => controller.abort(deadlineOver(run)));
  return {
    config: { ...config, signal: controller.signal },
    end() {
      cancelAlarm();
      letGo();
    },
  };
}

/** Runs work under {@link deadlineOf}. */
export async function underDeadline<T>(
  config: RunnableConfig,
  run: Run,
  parts: AdapterParts,
  work: (config: RunnableConfig) => Promise<T>,
): Promise<T> {
  const deadline = deadlineOf(config, run, parts);
  try {
    return await work(deadline.config);
  } finally {
    deadline.end();
  }
}

function deadlineOver({ budget }: Run): Error {
  const { capMs } = budget.deadline;
  const which = capMs === undefined ? 'its hard end' : `${capMs} ms of active time`;
  const error = new Error(`the run's deadline is over (${which})`);
  error.name = 'DeadlineExceededError';
  return error;
}
