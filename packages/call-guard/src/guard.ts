import { randomUUID } from 'node:crypto';
import {
  type Admission,
  type Decision,
  isLedgerError,
  type LedgerError,
  type LedgerStore,
  type RunRecord,
} from '@holdfast/effect-ledger';
import {
  type ArgsOf,
  type Registry,
  type ResultOf,
  sha256,
  type ToolName,
} from '@holdfast/tool-registry';
import { type Approval, approve, StoppedCalls } from './approve.js';
import type { CallAnswer, CallHost, CallRequest, Execute } from './call/call.js';
import { explain } from './call/explain.js';
import type { Question } from './call/question.js';
import { recorded } from './call/recorded.js';
import { failureOf } from './call/shape.js';
import { currentRun, currentTime, withScope } from './call-context.js';
import { classify } from './classify/classify.js';
import { type Clock, systemClock, systemRandom } from './clock.js';
import { createEmitter, type Emit, type EventCounts } from './events/emitter.js';
import type { EventSink } from './events/event.js';
import { Executors } from './executors.js';
import { neededMs } from './expected-latency.js';
import type { Failure } from './failure.js';
import type { Locale } from './failure-texts/user.js';
import { passGate } from './gate.js';
import type { GateParts, RemovableMechanism } from './gate-parts.js';
import { checkedLimits, type Limits, recordedWith, type Settings } from './limits.js';
import {
  type Mechanism,
  type Mode,
  type ModeOption,
  modesOf,
  shadowTenant,
  switched,
} from './mode.js';
import { checkOptions } from './options.js';
import { type Perform, passBy } from './pass-by.js';
import type { ProgressUpdate } from './progress.js';
import {
  type BreakerControl,
  breakerSettings,
  checkBreakerName,
} from './protection/breaker-control.js';
import { type BreakerName, Breakers } from './protection/breakers.js';
import type { BreakerChange } from './protection/circuit-breaker.js';
import { ProfileDrift } from './protection/profile-drift.js';
import { mayAsk, questionOf } from './question-of.js';
import { settleOpen } from './recovery/settle-open.js';
import { AuthRefresh, type RefreshAuth } from './refresh-auth.js';
import { buildReport } from './report.js';
import { RetryBudgets } from './retry/budget.js';
import { shorter } from './run/deadline.js';
import { Flights } from './run/flights.js';
import type { Run, RunIdentity } from './run/run.js';
import { type CheckedRunLimits, checkedRunLimits, type RunLimits } from './run/run-limits.js';
import { Runs, recordedLimits } from './run/runs.js';
import { type ShadowReport, ShadowTally } from './shadow.js';
import { type Reducible, WITHOUT } from './without.js';

export interface GuardOptions<R extends Registry> {
  readonly registry: R;
  /** Stays open when the guard is closed: it is the caller's. */
  readonly ledger: LedgerStore;
  /** Whose effects these are. Default: `default`. */
  readonly tenant?: string;
  readonly settings?: Settings;
  /** Where events go, beside the counters. Default: nowhere. */
  readonly events?: readonly EventSink[];
  /** For probes and captures whose tool the agent does not have. */
  readonly executors?: { readonly [N in ToolName<R>]?: Execute<ArgsOf<R, N>, ResultOf<R, N>> };
  /** What bounds each run, unless the run says otherwise. Default: nothing. */
  readonly limits?: RunLimits;
  /** One mode for the whole guard, or one for each mechanism that is not to be enforced. Default: `enforce`. */
  readonly mode?: ModeOption;
  /**
   * A tool whose breaker opened stays off for the rest of the run, and other runs find out whether it works
   * again (`run`, default); or it may be called as soon as its breaker lets a probe through.
   */
  readonly offAfterOpen?: 'run' | 'until-probe';
  /**
   * A service that asks for a wait longer than `settings.retryAfterMaxMs` is not called until then
   * (`at-reset`, default); or, where it says so while it has capacity left, one call probes it at doubling
   * intervals (`doubling`).
   */
  readonly probesInLongWaits?: 'at-reset' | 'doubling';
  /**
   * Renews credentials that a tool's service does not accept any more (401). Called once for all calls of a
   * resource group that wait for it, each of which is then tried once more. It has
   * `settings.authRefreshMs`. Default: none; such calls fail at once.
   */
  readonly refreshAuth?: RefreshAuth;
  /** The language in which users are told of failures and runs. Default: `en`. */
  readonly locale?: Locale;
  /** Told while a call waits to be tried again. One that throws is ignored. */
  readonly onProgress?: (update: ProgressUpdate) => void;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** In [0, 1). Default: `Math.random`. */
  readonly random?: () => number;
  /** Default: random UUIDs. */
  readonly newId?: () => string;
}

export interface RunSpec {
  /** The logical wish. The same one again continues it: what is done is answered, not repeated. */
  readonly intentId?: string;
  /** Default: derived from the intent, or new. */
  readonly runId?: string;
  readonly threadId?: string;
  /** What bounds the run; a continued one goes on with what it left. Default: the guard's, or as recorded. */
  readonly limits?: RunLimits;
  /** For work that must finish whatever is left to the work around it. Default: false. */
  readonly detached?: boolean;
}

/** What adapters build on; programs have no need of it. */
export interface GuardAdapter {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly tenant: string;
  readonly ledger: LedgerStore;
  readonly emit: Emit;
  readonly newId: () => string;
  /** How runs that begin now are guarded. */
  mode(): Mode;
  /** What a run that begins now is bounded by. @throws SetupError `option_out_of_range` */
  limitsOf(limits: RunLimits | undefined): CheckedRunLimits;
  /** What of the limits and the mode is written down with a run that is bounded so. */
  recordedWith(limits: CheckedRunLimits): Pick<Admission, 'limits' | 'mode'>;
  /**
   * The run of this invocation, made with its first use. Under `limits`, else under those that its
   * admission records.
   */
  openRun(
    identity: RunIdentity,
    invocation: string,
    admission?: Admission | RunRecord,
    limits?: CheckedRunLimits,
  ): { readonly run: Run; readonly isNew: boolean };
  /** A run while the ledger cannot be read: reads go on, effects are refused because of `error`. */
  runWithoutLedger(identity: RunIdentity, error: LedgerError): Run;
  /** The gate. `execute` is absent where the agent has no such tool. */
  call(
    request: CallRequest,
    host: CallHost,
    execute: Execute<unknown, unknown> | undefined,
  ): Promise<CallAnswer<unknown>>;
  /** Whether calls of this tool may have to be asked about. */
  mayAsk(tool: string): boolean;
  /** What the gate would ask a person about the call now; nothing is done. */
  questionOf(request: CallRequest, host: CallHost): Promise<Question | undefined>;
  /** A call of a run that is not enforced: it happens as if there were no guard. */
  passBy(request: CallRequest, host: CallHost, perform: Perform): Promise<unknown>;
  /** Settles what an earlier process left open in the host's run, without sending anything. */
  settleOpen(host: CallHost): Promise<void>;
  /**
   * What there is to say of a call that nobody answered and nobody will make any more, as the run's view of
   * the ledger knows it. Makes nothing happen.
   *
   * @param by why it will not be made any more
   */
  recorded(
    request: CallRequest,
    host: CallHost,
    by: 'caller' | 'newer-input',
  ): Promise<CallAnswer<unknown>>;
  /** A failure that happened around the gate, as the contract says it. */
  explain(request: CallRequest, run: Run, error: unknown): Failure;
  /** Makes a tool known as what executes an entry for probes and captures. The first one stays. */
  registerExecutor(tool: string, execute: Execute<unknown, unknown>): void;
  /** @throws SetupError `executor_missing` if a probe or capture of these tools cannot be executed. */
  checkExecutors(tools: Iterable<string>): void;
}

export interface Guard<R extends Registry = Registry> extends Reducible {
  readonly registry: R;
  /**
   * Makes one call of a tool through the gate. Never throws for what the call itself meets; the answer
   * says it. Outside of `inRun` a call is a wish of its own, protected within this process by its call id.
   *
   * @throws SetupError `executor_missing`, `option_out_of_range` for a `deadlineMs` that is no number
   */
  call<const N extends ToolName<R> | (string & {})>(
    request: CallRequest<N>,
    execute: Execute<ArgsOf<R, N>, ResultOf<R, N>>,
  ): Promise<CallAnswer<ResultOf<R, N>>>;
  /** Runs work whose calls belong together. With the `intentId` of an earlier run it continues that one. */
  inRun<T>(spec: RunSpec, work: () => Promise<T>): Promise<T>;
  /**
   * Settles a call that was stopped with `confirmation_required`, `intent_conflict` or `fork_conflict`, for
   * a person to whom no question can be shown. Bound to the call's arguments; the next equal call of the
   * run or thread honors it, once. Resolves with what stands: a rejection is final.
   *
   * @throws SetupError `answer_invalid`
   * @example await guard.approve({ threadId: 'T1', callId: 'c1', decision: 'approve', by: 'ann' })
   */
  approve(approval: Approval): Promise<Decision>;
  /** How often each event was emitted since the guard was made; zeros included. */
  counts(): EventCounts;
  /**
   * Switches the guard, or one mechanism of it, for runs that begin afterwards.
   * @throws SetupError `option_out_of_range`
   */
  setMode(mode: Mode, mechanism?: Mechanism): void;
  /** What mechanisms that only watch would have done, since the guard was made. */
  shadowReport(): ShadowReport;
  /** The circuit breakers: their state and health, and the switch of each tool. */
  readonly breakers: BreakerControl;
  readonly adapter: GuardAdapter;
  /** Waits until events are out. The ledger stays open. */
  close(): Promise<void>;
}

/** How many calls outside of a run are remembered by their call id. */
const MOST_AMBIENT = 1_000;

/**
 * Makes a guard: the gate that every guarded call of a registry's tools passes.
 *
 * @throws SetupError `option_out_of_range`
 * @example
 * const guard = createGuard({ registry, ledger: sqliteLedger('agent.db') })
 * const answer = await guard.call({ tool: 'set_delivery', args, callId: 'c1' }, setDelivery)
 */
export function createGuard<R extends Registry>(options: GuardOptions<R>): Guard<R> {
  checkOptions(options);
  return guardWithout(options, new Set());
}

/** The guard of `options`, with mechanisms taken out; only `call-guard/testing` takes any. */
function guardWithout<R extends Registry>(
  options: GuardOptions<R>,
  removed: ReadonlySet<RemovableMechanism>,
): Guard<R> {
  const { registry, ledger, tenant = 'default', clock = systemClock, newId = randomUUID } = options;
  const limits = checkedLimits(options.settings);
  const runLimits = checkedRunLimits(options.limits);
  let modes = modesOf(options.mode);
  const emitter = createEmitter(options.events ?? [], clock);
  const executors = new Executors(registry, options.executors ?? {});
  const runs = new Runs({
    ledger,
    clock,
    newId,
    leaseMs: limits.leaseMs,
    idleEndMs: limits.idleEndMs,
    modes: () => modes,
    locale: options.locale ?? 'en',
    expectedMs: (tool) => {
      const entry = registry.tools.get(tool);
      return entry === undefined ? 0 : neededMs(entry, limits);
    },
  });
  const breakers = new Breakers(breakerSettings(limits), clock, onBreakerChange, (group) =>
    [...registry.tools.values()].some(
      (entry) => entry.resourceGroup === group && entry.idempotency.class === 'read',
    ),
  );
  const shadow = new ShadowTally();
  const { onProgress = () => {} } = options;
  const parts: GateParts = {
    registry,
    ledger,
    clock,
    random: options.random ?? systemRandom,
    newId,
    limits,
    flights: new Flights(clock),
    breakers,
    auth: new AuthRefresh(options.refreshAuth, { clock, limits }),
    profileDrift: new ProfileDrift(limits),
    retryBudgets: new RetryBudgets({
      percent: limits.retryBudgetPercent,
      floor: limits.retryBudgetFloor,
      clock,
    }),
    shadow,
    offAfterOpen: options.offAfterOpen ?? 'run',
    probesInLongWaits: options.probesInLongWaits ?? 'at-reset',
    onProgress(update) {
      try {
        onProgress(update);
      } catch {
        // Whoever only looks on disturbs nothing.
      }
    },
    steps: new Map(),
    stopped: new StoppedCalls(),
    emit: emitter.emit,
    executors,
    ask: (tool, args, run, purpose, timeoutMs) =>
      askRead({ tool: tool.name, args, callId: purpose }, run, timeoutMs, parts),
    removed,
  };
  const instance = newId();
  const ambient = new Map<string, Run>();
  const ownTenant = (): string => (modes.guard === 'shadow' ? shadowTenant(tenant) : tenant);

  function onBreakerChange({ scope, name }: BreakerName, change: BreakerChange): void {
    const { untilMs, ...said } = change;
    emitter.emit(
      'breaker_state_changed',
      {
        tenant,
        runId: '',
        intentId: '',
        ...(scope === 'tool' ? { tool: name } : { resourceGroup: name }),
      },
      { scope, name, ...said, ...(untilMs === undefined ? {} : { until: untilMs }) },
    );
  }

  /** Outside of a run the call id is the wish: an equal call under it is the same one. */
  function ambientRun(callId: string): Run {
    const known = ambient.get(callId);
    if (known !== undefined) return known;
    // Runs of their own: calls that share nothing must not wait for one another's lease.
    const id = `${instance}/${callId}`;
    const identity = { tenant: ownTenant(), runId: id, intentId: id };
    const { run } = runs.open(identity, instance, undefined, runLimits);
    ambient.set(callId, run);
    if (ambient.size === 1) {
      emitter.emit('warning', identity, {
        code: 'intent_underived',
        message: 'a call outside of a run is protected within this process only; use inRun',
      });
    }
    const [oldest] = ambient.keys();
    if (ambient.size > MOST_AMBIENT && oldest !== undefined) ambient.delete(oldest);
    return run;
  }

  /** What the run consumed is written down; work that ended with something undone goes on under the same intent. */
  async function endInvocation(run: Run, threw: boolean): Promise<void> {
    if (!run.isAdmitted || run.modes.guard === 'off') return;
    const consumedMs = Math.round(run.budget.deadline.consumedMs());
    const effects = run.view
      .all()
      .map(({ effect }) => effect)
      .filter((effect) => effect.runId === run.runId);
    const { status } = buildReport({ ...run, effects, interrupted: false, threw });
    try {
      if (status === 'complete') await ledger.endRun(run.runId, status, consumedMs);
      else await ledger.consume(run.runId, consumedMs);
    } catch (error) {
      // The work is done and its effects are settled; that the run is over can be seen from them.
      if (!isLedgerError(error)) throw error;
    }
  }

  /** The run as the ledger knows it: what bounds it, and what it consumed. Without the ledger reads go on. */
  async function recordOf(runId: string): Promise<RunRecord | undefined> {
    if (modes.guard === 'off') return undefined;
    try {
      const [record] = await ledger.runs({ runId });
      return record;
    } catch (error) {
      if (isLedgerError(error)) return undefined;
      throw error;
    }
  }

  const breakerControl: BreakerControl = {
    snapshot: () => breakers.snapshot(),
    health: (name, scope) => breakers.health(name, scope),
    open(name, scope = 'tool') {
      checkBreakerName({ scope, name }, registry);
      breakers.open(name, scope);
    },
    reset(name, scope = 'tool') {
      checkBreakerName({ scope, name }, registry);
      breakers.reset(name, scope);
    },
  };

  return {
    registry,
    [WITHOUT]: (more) => guardWithout(options, new Set([...removed, ...more])),
    async call(request, execute) {
      const around = currentRun();
      const run = around?.isOf(ledger, tenant) ? around : ambientRun(request.callId);
      const host = { run };
      // The entry's schemas vouch for the types: arguments are parsed before, results checked after.
      const answer =
        run.modes.guard === 'enforce'
          ? await passGate(request, host, execute as Execute<unknown, unknown>, parts)
          : await answerUnguarded(request, host, execute as Execute<unknown, unknown>, parts);
      return answer as CallAnswer<ResultOf<R, typeof request.tool>>;
    },
    async inRun(spec, work) {
      const intentId = spec.intentId ?? newId();
      const own = ownTenant();
      const runId =
        spec.runId ?? (spec.intentId === undefined ? newId() : runIdOf(own, spec.intentId));
      const identity: RunIdentity = {
        tenant: own,
        runId,
        intentId,
        ...(spec.threadId === undefined ? {} : { threadId: spec.threadId }),
      };
      const asked = spec.limits === undefined ? undefined : checkedRunLimits(spec.limits);
      const isNew = spec.intentId === undefined && spec.runId === undefined;
      const record = isNew ? undefined : await recordOf(runId);
      const given = asked ?? recordedLimits(record) ?? runLimits;
      const admission = {
        ...identity,
        inputId: intentId,
        inputDigest: sha256(intentId),
        registryDigest: registry.digest,
        ...recordedWith(given, limits, modes.guard),
        ...(record === undefined ? {} : { consumedMs: record.consumedMs }),
      };
      const { run } = runs.open(identity, newId(), admission, given);
      if (spec.intentId === undefined) {
        emitter.emit('warning', identity, {
          code: 'intent_underived',
          message: 'a run without an intentId cannot be continued by another process',
        });
      }
      emitAllocated(run, record === undefined ? 'run' : 'resumed', emitter.emit);
      const around = spec.detached === true ? undefined : currentTime();
      const scope =
        around === undefined ? { run } : { run, time: shorter(around, run.budget.deadline) };
      let threw = true;
      try {
        const result = await withScope(scope, work);
        threw = false;
        return result;
      } finally {
        await endInvocation(run, threw);
      }
    },
    setMode(mode, mechanism) {
      modes = switched(modes, mode, mechanism);
    },
    shadowReport: () => shadow.report(),
    breakers: breakerControl,
    approve: (approval) => approve(approval, parts, ownTenant()),
    counts: emitter.counts,
    adapter: {
      clock,
      limits,
      get tenant() {
        return ownTenant();
      },
      ledger,
      emit: emitter.emit,
      newId,
      mode: () => modes.guard,
      limitsOf: (given) => (given === undefined ? runLimits : checkedRunLimits(given)),
      openRun(identity, invocation, admission, given) {
        const opened = runs.open(identity, invocation, admission, given);
        const isResumed = admission !== undefined && 'admittedAt' in admission;
        if (opened.isNew) emitAllocated(opened.run, isResumed ? 'resumed' : 'run', emitter.emit);
        return opened;
      },
      recordedWith: (given) => recordedWith(given, limits, modes.guard),
      passBy: (request, host, perform) => passBy(request, host, perform, parts),
      runWithoutLedger: (identity, error) => runs.withoutLedger(identity, error),
      call: (request, host, execute) => passGate(request, host, execute, parts),
      mayAsk: (tool) => mayAsk(registry.tools.get(tool)),
      questionOf: (request, host) => questionOf(request, host, parts),
      recorded: (request, host, by) => recorded(request, host, by, registry),
      explain: (request, run, error) => explain(request, run, error, parts),
      settleOpen: (host) => settleOpen(host, parts),
      registerExecutor: (tool, execute) => executors.register(tool, execute),
      checkExecutors: (tools) => executors.check(tools),
    },
    close: () => emitter.flush(),
  };
}

/** The same for every process that works on the intent; another tenant's equal intent is another run. */
function runIdOf(tenant: string, intentId: string): string {
  return `run:${encodeURIComponent(tenant)}/${intentId}`;
}

/** A registered read for the guard itself, through the gate; its result as the entry's schema gives it. */
async function askRead(
  request: CallRequest,
  run: Run,
  timeoutMs: number | undefined,
  parts: GateParts,
): ReturnType<GateParts['ask']> {
  const { tool } = request;
  const output = parts.registry.tools.get(tool)?.output;
  const deadlineMs = timeoutMs ?? parts.limits.probeTimeoutMs;
  // Its calls are not the agent's: they do not count in the run's report.
  const host = { run, isOwn: true };
  const answer = await passGate({ ...request, deadlineMs }, host, parts.executors.get(tool), parts);
  if (!answer.ok) return { ok: false, why: `${tool}: ${answer.failure.kind}` };
  if (output === undefined) return { ok: true, raw: answer.result, result: answer.result };
  return { ok: true, raw: answer.result, result: await output.parseAsync(answer.result) };
}

/** The deadline of a run, where it has one, as an event. */
function emitAllocated(run: Run, source: 'run' | 'resumed', emit: Emit): void {
  const { capMs, consumedMs } = run.budget.explain().time;
  if (capMs === undefined) return;
  emit('budget_allocated', run.subject, { deadlineMs: capMs, consumedMs, source });
}

/** A call of a run that is not enforced, as an answer: it happened once, whatever became of it. */
async function answerUnguarded(
  request: CallRequest,
  host: CallHost,
  execute: Execute<unknown, unknown>,
  parts: GateParts,
): Promise<CallAnswer<unknown>> {
  try {
    const result = await passBy(request, host, (context) => execute(request.args, context), parts);
    return { ok: true, result, folded: false, attempts: 1, repairs: [], warnings: [] };
  } catch (error) {
    const facts = classify(error, {
      class: parts.registry.tools.get(request.tool)?.idempotency.class ?? 'undeclared',
      effectOnError: 'unknown',
      notes: { keyCarried: false, requestsSent: 0, requestsRefused: 0 },
      wallMs: parts.clock.wallMs(),
    });
    return { ok: false, failure: failureOf({ request, host }, facts, 1) };
  }
}
