import type { Admission, LedgerError, LedgerStore, RunRecord } from '@holdfast/effect-ledger';
import type { CallAnswer } from './call/answer.js';
import { explain } from './call/explain.js';
import type { CallHost } from './call/host.js';
import type { Question } from './call/question.js';
import { recorded } from './call/recorded.js';
import type { CallRequest, Execute } from './call/request.js';
import type { Clock } from './clock.js';
import type { Emit } from './events/emitter.js';
import type { Failure } from './failure.js';
import { passGate } from './gate.js';
import type { GuardCore } from './guard-core.js';
import type { Limits } from './limits.js';
import type { Mode } from './mode.js';
import { type Perform, passBy } from './pass-by.js';
import { mayAsk, questionOf } from './question-of.js';
import { settleOpen } from './recovery/settle-open.js';
import type { Run, RunIdentity } from './run/run.js';
import { type CheckedRunLimits, checkedRunLimits, type RunLimits } from './run/run-limits.js';

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

/** The guard as adapters see it. */
export function adapterOf(core: GuardCore): GuardAdapter {
  const { parts, runs, modes, runLimits } = core;
  const { clock, emit, executors, ledger, limits, newId, registry } = parts;
  return {
    clock,
    limits,
    get tenant() {
      return core.tenant();
    },
    ledger,
    emit,
    newId,
    mode: () => modes.now.guard,
    limitsOf: (given) => (given === undefined ? runLimits : checkedRunLimits(given)),
    openRun: (identity, invocation, admission, given) =>
      runs.open(identity, invocation, admission, given),
    recordedWith: (given) => core.recordedWith(given),
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
  };
}
