import { randomUUID } from 'node:crypto';
import {
  type Admission,
  isLedgerError,
  type LedgerError,
  type LedgerStore,
} from '@holdfast/effect-ledger';
import {
  type AnyToolEntry,
  type ArgsOf,
  type Registry,
  type ResultOf,
  sha256,
  type ToolName,
} from '@holdfast/tool-registry';
import type { CallAnswer, CallHost, CallRequest, Execute } from './call/call.js';
import { explain } from './call/explain.js';
import { currentRun, withScope } from './call-context.js';
import { type Clock, systemClock, systemRandom } from './clock.js';
import { createEmitter, type Emit, type EventCounts } from './events/emitter.js';
import type { EventSink } from './events/event.js';
import { Executors } from './executors.js';
import type { Failure } from './failure.js';
import { passGate } from './gate.js';
import type { GateParts, RemovableMechanism } from './gate-parts.js';
import { checkedLimits, type Limits, type Settings } from './limits.js';
import { checkOptions } from './options.js';
import { settleOpen } from './recovery/settle-open.js';
import { buildReport } from './report.js';
import { Flights } from './run/flights.js';
import type { Run, RunIdentity } from './run/run.js';
import { Runs } from './run/runs.js';
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
}

/** What adapters build on; programs have no need of it. */
export interface GuardAdapter {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly tenant: string;
  readonly ledger: LedgerStore;
  readonly emit: Emit;
  readonly newId: () => string;
  /** The run of this invocation, made with its first use. */
  openRun(
    identity: RunIdentity,
    invocation: string,
    admission?: Admission,
  ): { readonly run: Run; readonly isNew: boolean };
  /** A run while the ledger cannot be read: reads go on, effects are refused because of `error`. */
  runWithoutLedger(identity: RunIdentity, error: LedgerError): Run;
  /** The gate. `execute` is absent where the agent has no such tool. */
  call(
    request: CallRequest,
    host: CallHost,
    execute: Execute<unknown, unknown> | undefined,
  ): Promise<CallAnswer<unknown>>;
  /** Settles what an earlier process left open in the host's run, without sending anything. */
  settleOpen(host: CallHost): Promise<void>;
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
   * @throws SetupError `executor_missing`
   */
  call<const N extends ToolName<R> | (string & {})>(
    request: CallRequest<N>,
    execute: Execute<ArgsOf<R, N>, ResultOf<R, N>>,
  ): Promise<CallAnswer<ResultOf<R, N>>>;
  /** Runs work whose calls belong together. With the `intentId` of an earlier run it continues that one. */
  inRun<T>(spec: RunSpec, work: () => Promise<T>): Promise<T>;
  /** How often each event was emitted since the guard was made; zeros included. */
  counts(): EventCounts;
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
  const emitter = createEmitter(options.events ?? [], clock);
  const executors = new Executors(registry, options.executors ?? {});
  const runs = new Runs({
    ledger,
    clock,
    newId,
    leaseMs: limits.leaseMs,
    idleEndMs: limits.idleEndMs,
  });
  const parts: GateParts = {
    registry,
    ledger,
    clock,
    random: options.random ?? systemRandom,
    newId,
    limits,
    flights: new Flights(clock),
    emit: emitter.emit,
    executors,
    ask: (tool, args, run, purpose) => askRead(tool, args, run, purpose, parts),
    removed,
  };
  const instance = newId();
  const ambient = new Map<string, Run>();

  /** Outside of a run the call id is the wish: an equal call under it is the same one. */
  function ambientRun(callId: string): Run {
    const known = ambient.get(callId);
    if (known !== undefined) return known;
    // Runs of their own: calls that share nothing must not wait for one another's lease.
    const id = `${instance}/${callId}`;
    const identity = { tenant, runId: id, intentId: id };
    const { run } = runs.open(identity, instance);
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

  /** Work that ended with something undone goes on under the same intent. */
  async function endIfComplete(run: Run): Promise<void> {
    if (!run.isAdmitted) return;
    const effects = run.view
      .all()
      .map(({ effect }) => effect)
      .filter((effect) => effect.runId === run.runId);
    const { status } = buildReport({ ...run, effects, interrupted: false, threw: false });
    if (status !== 'complete') return;
    try {
      await ledger.endRun(run.runId, status);
    } catch (error) {
      // The work is done and its effects are settled; that the run is over can be seen from them.
      if (!isLedgerError(error)) throw error;
    }
  }

  return {
    registry,
    [WITHOUT]: (more) => guardWithout(options, new Set([...removed, ...more])),
    async call(request, execute) {
      const around = currentRun();
      const run = around?.isOf(ledger, tenant) ? around : ambientRun(request.callId);
      const host = { run };
      // The entry's schemas vouch for the types: arguments are parsed before, results checked after.
      const answer = await passGate(request, host, execute as Execute<unknown, unknown>, parts);
      return answer as CallAnswer<ResultOf<R, typeof request.tool>>;
    },
    async inRun(spec, work) {
      const intentId = spec.intentId ?? newId();
      const runId =
        spec.runId ?? (spec.intentId === undefined ? newId() : runIdOf(tenant, spec.intentId));
      const identity: RunIdentity = {
        tenant,
        runId,
        intentId,
        ...(spec.threadId === undefined ? {} : { threadId: spec.threadId }),
      };
      const { run } = runs.open(identity, newId(), {
        ...identity,
        inputId: intentId,
        inputDigest: sha256(intentId),
        registryDigest: registry.digest,
      });
      if (spec.intentId === undefined) {
        emitter.emit('warning', identity, {
          code: 'intent_underived',
          message: 'a run without an intentId cannot be continued by another process',
        });
      }
      const result = await withScope({ run }, work);
      await endIfComplete(run);
      return result;
    },
    counts: emitter.counts,
    adapter: {
      clock,
      limits,
      tenant,
      ledger,
      emit: emitter.emit,
      newId,
      openRun: (identity, invocation, admission) => runs.open(identity, invocation, admission),
      runWithoutLedger: (identity, error) => runs.withoutLedger(identity, error),
      call: (request, host, execute) => passGate(request, host, execute, parts),
      explain: (request, run, error) => explain(request, run, error, registry),
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
  tool: AnyToolEntry,
  args: unknown,
  run: Run,
  purpose: string,
  parts: GateParts,
): ReturnType<GateParts['ask']> {
  const execute = parts.executors.get(tool.name);
  const request = { tool: tool.name, args, callId: purpose };
  // Its calls are not the agent's: they do not count in the run's report.
  const answer = await passGate(request, { run, isOwn: true }, execute, parts);
  if (!answer.ok) return { ok: false, why: `${tool.name}: ${answer.failure.kind}` };
  if (tool.output === undefined) return { ok: true, raw: answer.result, result: answer.result };
  return { ok: true, raw: answer.result, result: await tool.output.parseAsync(answer.result) };
}
