import { isLedgerError, type RunRecord } from '@holdfast/effect-ledger';
import { sha256 } from '@holdfast/tool-registry';
import { currentTime, currentWishes, isInsideRetries, withScope } from './call-context.js';
import type { GuardCore } from './guard-core.js';
import { buildReport } from './report.js';
import { shorter } from './run/deadline.js';
import type { Run, RunIdentity } from './run/run.js';
import { checkedRunLimits, type RunLimits } from './run/run-limits.js';
import { recordedLimits } from './run/runs.js';

export interface RunSpec {
  /** The logical wish. The same one again continues it: what is done is answered, not repeated. */
  readonly intentId?: string;
  /** Default: derived from the intent, or new. */
  readonly runId?: string;
  readonly threadId?: string;
  /** What bounds the run; a continued one goes on with what it left. Default: the guard's, or as recorded. */
  readonly limits?: RunLimits;
  /**
   * For work that must finish whatever is left to the work around it, with retries of its own. Default: false:
   * inside of a call it has no more time than that, and leaves its retries to it.
   */
  readonly detached?: boolean;
}

/** Runs work whose calls belong together; see `Guard.inRun`. */
export async function inRun<T>(spec: RunSpec, work: () => Promise<T>, core: GuardCore): Promise<T> {
  const { parts, runs, runLimits } = core;
  const { emit, newId, registry } = parts;
  const intentId = spec.intentId ?? newId();
  const own = core.tenant();
  const runId = spec.runId ?? runIdOf(own, intentId);
  const identity: RunIdentity = {
    tenant: own,
    runId,
    intentId,
    ...(spec.threadId === undefined ? {} : { threadId: spec.threadId }),
  };
  const asked = spec.limits === undefined ? undefined : checkedRunLimits(spec.limits);
  const isNew = spec.intentId === undefined && spec.runId === undefined;
  const record = isNew ? undefined : await recordOf(runId, core);
  const given = asked ?? recordedLimits(record) ?? runLimits;
  // Now: the mode may be another one when the run is written down.
  const recorded = core.recordedWith(given);
  const run = runs.begin(identity, {
    admission: () => ({
      ...identity,
      inputId: intentId,
      inputDigest: sha256(intentId),
      registryDigest: registry.digest,
      ...recorded,
    }),
    consumedMs: record?.consumedMs,
    limits: given,
  });
  if (spec.intentId === undefined) {
    emit('warning', identity, {
      code: 'intent_underived',
      message: 'a run without an intentId cannot be continued by another process',
    });
  }
  const isDetached = spec.detached === true;
  const around = isDetached ? undefined : currentTime();
  const scope = {
    run,
    wishes: currentWishes(),
    insideRetries: !isDetached && isInsideRetries(),
    ...(around === undefined ? {} : { time: shorter(around, run.budget.deadline) }),
  };
  let threw = true;
  try {
    const result = await withScope(scope, work);
    threw = false;
    return result;
  } finally {
    await endInvocation(run, threw, core);
  }
}

/** What the run consumed is written down; work that ended with something undone goes on under the same intent. */
async function endInvocation(run: Run, threw: boolean, { parts }: GuardCore): Promise<void> {
  if (!run.isAdmitted || run.modes.guard === 'off') return;
  const { ledger } = parts;
  const consumedMs = Math.round(run.budget.deadline.consumedMs());
  const effects = run.view
    .all()
    .map(({ effect }) => effect)
    .filter((effect) => effect.runId === run.runId);
  const { status } = buildReport({
    ...run,
    ends: run.ends.open,
    effects,
    interrupted: false,
    threw,
  });
  try {
    if (status === 'complete') await ledger.endRun(run.runId, status, consumedMs);
    else await ledger.consume(run.runId, consumedMs);
  } catch (error) {
    // The work is done and its effects are settled; that the run is over can be seen from them.
    if (!isLedgerError(error)) throw error;
  }
}

/** The run as the ledger knows it: what bounds it, and what it consumed. Without the ledger reads go on. */
async function recordOf(
  runId: string,
  { parts, modes }: GuardCore,
): Promise<RunRecord | undefined> {
  if (modes.now.guard === 'off') return undefined;
  try {
    const [record] = await parts.ledger.runs({ runId });
    return record;
  } catch (error) {
    if (isLedgerError(error)) return undefined;
    throw error;
  }
}

/** The same for every process that works on the intent; another tenant's equal intent is another run. */
function runIdOf(tenant: string, intentId: string): string {
  return `run:${encodeURIComponent(tenant)}/${intentId}`;
}
