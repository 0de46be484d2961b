import type { Decision } from '@holdfast/effect-ledger';
import type { ArgsOf, Registry, ResultOf, ToolName } from '@holdfast/tool-registry';
import { answerUnguarded } from './answer-unguarded.js';
import { type Approval, approve } from './approve.js';
import type { CallAnswer } from './call/answer.js';
import type { CallRequest, Execute } from './call/request.js';
import { currentRun } from './call-context.js';
import type { EventCounts } from './events/emitter.js';
import { passGate } from './gate.js';
import type { RemovableMechanism } from './gate-parts.js';
import { adapterOf, type GuardAdapter } from './guard-adapter.js';
import { assemble, type GuardCore } from './guard-core.js';
import { inRun, type RunSpec } from './in-run.js';
import type { Mechanism, Mode } from './mode.js';
import { checkOptions, type GuardOptions } from './options.js';
import { type BreakerControl, controlOf } from './protection/breaker-control.js';
import { AmbientRuns } from './run/ambient-runs.js';
import type { ShadowReport } from './shadow.js';
import { type Reducible, WITHOUT } from './without.js';

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
  const core = assemble(options, removed);
  const { parts, modes, emitter } = core;
  const { registry, ledger, shadow } = parts;
  const ambient = ambientRuns(core);
  return {
    registry: options.registry,
    [WITHOUT]: (more) => guardWithout(options, new Set([...removed, ...more])),
    call(request, execute) {
      const around = currentRun();
      const run = around?.isOf(ledger, options.tenant ?? 'default')
        ? around
        : ambient.of(request.callId);
      const host = { run };
      const pass = run.modes.guard === 'enforce' ? passGate : answerUnguarded;
      // The entry's schemas vouch for the types: arguments are parsed before, results checked after.
      return pass(request, host, execute as Execute<unknown, unknown>, parts) as Promise<
        CallAnswer<ResultOf<R, typeof request.tool>>
      >;
    },
    inRun: (spec, work) => inRun(spec, work, core),
    setMode: (mode, mechanism) => modes.switch(mode, mechanism),
    shadowReport: () => shadow.report(),
    breakers: controlOf(parts.breakers, registry),
    approve: (approval) => approve(approval, parts, core.tenant()),
    counts: emitter.counts,
    adapter: adapterOf(core),
    close: () => emitter.flush(),
  };
}

/** Calls outside of a run, each a run of its own: those that share nothing must not wait for one another's lease. */
function ambientRuns({ parts, runs, runLimits, tenant }: GuardCore): AmbientRuns {
  const instance = parts.newId();
  return new AmbientRuns(
    (callId) => {
      const id = `${instance}/${callId}`;
      const identity = { tenant: tenant(), runId: id, intentId: id };
      return runs.begin(identity, { limits: runLimits });
    },
    (first) =>
      parts.emit('warning', first.subject, {
        code: 'intent_underived',
        message: 'a call outside of a run is protected within this process only; use inRun',
      }),
  );
}
