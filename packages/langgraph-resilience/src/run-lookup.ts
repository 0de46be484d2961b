import type { CheckedRunLimits, GuardAdapter, Run, RunIdentity } from '@holdfast/call-guard';
import { type Admission, isLedgerError, type RunRecord } from '@holdfast/effect-ledger';
import { sha256 } from '@holdfast/tool-registry';
import type { BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { configured, type GraphPosition, positionOf } from './pregel-config.js';
import { type HumanInput, humanInputOf } from './turn.js';
import { isMadeGood } from './turn-ends.js';

/** How `guard.run` hands its run to the calls inside: by the config, which reaches every nested graph. */
export const RUN_KEY = '__holdfast_run';

/** How an accepted input is kept. */
export interface InputToAdmit {
  readonly id: string;
  readonly digest: string;
  readonly bytes?: Uint8Array;
}

/**
 * Finds the run of a call from its config, because under a plain `graph.invoke` no code of ours encloses
 * the run. One run per invocation of a graph; retries, resumes and replays of a human input are the same
 * run, in whichever process.
 */
export class RunLookup {
  /** By thread within the invocation's object, lest a caller gives one object to several threads. */
  readonly #byInvocation = new WeakMap<object, Map<string | undefined, Promise<Run>>>();

  constructor(
    private readonly guard: GuardAdapter,
    private readonly registryDigest: string,
  ) {}

  /** The run of the invocation that `config` belongs to. */
  of(
    config: RunnableConfig | undefined,
    messages: readonly BaseMessage[] | undefined,
    limits?: CheckedRunLimits,
  ): Promise<Run> {
    const given: unknown = config?.configurable?.[RUN_KEY];
    if (isRunHolder(given)) return Promise.resolve(given.run);
    const position = positionOf(config);
    const { invocation } = position;
    if (invocation === undefined)
      return this.#derive(config, position, messages, this.guard.newId(), limits);
    const ofThreads =
      this.#byInvocation.get(invocation) ?? new Map<string | undefined, Promise<Run>>();
    this.#byInvocation.set(invocation, ofThreads);
    const known = ofThreads.get(position.threadId);
    if (known !== undefined) return known;
    const derived = this.#derive(config, position, messages, this.guard.newId(), limits);
    ofThreads.set(position.threadId, derived);
    // A ledger that cannot be read now may be readable for the next call.
    derived.catch(() => ofThreads.delete(position.threadId));
    return derived;
  }

  /** As `of`; and where the ledger cannot be read, a run in which reads go on and effects are refused. */
  async ofCall(
    config: RunnableConfig | undefined,
    messages: readonly BaseMessage[] | undefined,
  ): Promise<Run> {
    try {
      return await this.of(config, messages);
    } catch (error) {
      if (!isLedgerError(error)) throw error;
      const { threadId } = positionOf(config);
      const input = messages === undefined ? undefined : humanInputOf(messages);
      const intent = configured(config, 'intent_id');
      const identity = this.#fresh(threadId, intent, input?.id ?? this.guard.newId());
      return this.guard.runWithoutLedger(identity, error);
    }
  }

  /** A run for an input that enters by `guard.run`. */
  async accept(
    threadId: string | undefined,
    givenIntent: string | undefined,
    input: InputToAdmit,
    messages: readonly BaseMessage[],
    limits?: CheckedRunLimits,
  ): Promise<{ readonly run: Run; readonly continued?: RunRecord }> {
    const before = await this.#runsOf(threadId, givenIntent);
    const continued = this.#continued(before, givenIntent, input, messages);
    if (continued !== undefined) return { run: this.reopen(continued, limits), continued };
    const identity = this.#fresh(threadId, givenIntent, input.id);
    return { run: this.#open(identity, input, this.guard.newId(), limits) };
  }

  /** A run that the ledger knows, for a new invocation. */
  reopen(record: RunRecord, limits?: CheckedRunLimits): Run {
    return this.guard.openRun(identityOf(record), this.guard.newId(), record, limits).run;
  }

  async #derive(
    config: RunnableConfig | undefined,
    { threadId }: GraphPosition,
    messages: readonly BaseMessage[] | undefined,
    invocation: string,
    limits: CheckedRunLimits | undefined,
  ): Promise<Run> {
    const intent = configured(config, 'intent_id');
    const input = messages === undefined ? undefined : humanInputOf(messages);
    const before = await this.#runsOf(threadId, intent);
    // Without a message to go by, the unfinished run of the thread is the one that goes on.
    const continued =
      input === undefined && intent === undefined
        ? before.find((run) => !this.#isOver(run, []))
        : this.#continued(before, intent, input, messages ?? []);
    if (continued !== undefined) {
      return this.guard.openRun(identityOf(continued), invocation, continued, limits).run;
    }
    if (input === undefined && intent === undefined) this.#warnUnderived(threadId);
    const accepted = input ?? { id: invocation, digest: sha256(invocation) };
    const identity = this.#fresh(threadId, intent, accepted.id);
    return this.#open(identity, accepted, invocation, limits);
  }

  async #runsOf(
    threadId: string | undefined,
    intentId: string | undefined,
  ): Promise<readonly RunRecord[]> {
    if (this.guard.mode() === 'off') return [];
    const { ledger, tenant } = this.guard;
    if (intentId !== undefined) return ledger.runs({ tenant, intentId });
    return threadId === undefined ? [] : ledger.runs({ tenant, threadId });
  }

  /** The run of the same input, or one that has not ended and whose input says the same. */
  #continued(
    before: readonly RunRecord[],
    givenIntent: string | undefined,
    input: HumanInput | undefined,
    messages: readonly BaseMessage[],
  ): RunRecord | undefined {
    if (givenIntent !== undefined) return before[0];
    if (input === undefined) return undefined;
    return (
      before.find((run) => run.inputId === input.id) ??
      before.find((run) => run.inputDigest === input.digest && !this.#isOver(run, messages))
    );
  }

  /** Ended as written down; or, where nobody writes that down, as the conversation or the time shows. */
  #isOver(run: RunRecord, messages: readonly BaseMessage[]): boolean {
    if (run.ended !== undefined) return true;
    const isAnswered = isMadeGood(messages, run.inputId);
    // Only `guard.run` keeps the input, and it writes down the end before it hands out an answer: what it
    // left undone stays so, and an answer with which the conversation ends was never given.
    if (run.input !== undefined) return isAnswered && humanInputOf(messages)?.id !== run.inputId;
    return isAnswered || this.guard.clock.wallMs() - run.activeAt > this.guard.limits.idleEndMs;
  }

  /** Derived from the input's id, so that two processes that see the same input make the same run. */
  #fresh(
    threadId: string | undefined,
    givenIntent: string | undefined,
    inputId: string,
  ): RunIdentity {
    const { tenant } = this.guard;
    const intentId =
      givenIntent ??
      `in_${sha256(JSON.stringify([tenant, threadId ?? null, inputId])).slice(0, 32)}`;
    const runId = `run_${sha256(JSON.stringify([tenant, intentId])).slice(0, 32)}`;
    return { tenant, runId, intentId, ...(threadId === undefined ? {} : { threadId }) };
  }

  #open(
    identity: RunIdentity,
    input: InputToAdmit,
    invocation: string,
    asked: CheckedRunLimits | undefined,
  ): Run {
    const limits = asked ?? this.guard.limitsOf(undefined);
    // A guard that is off writes nothing down.
    if (this.guard.mode() === 'off') {
      return this.guard.openRun(identity, invocation, undefined, limits).run;
    }
    const admission: Admission = {
      ...identity,
      inputId: input.id,
      inputDigest: input.digest,
      registryDigest: this.registryDigest,
      ...(input.bytes === undefined ? {} : { input: input.bytes }),
      ...this.guard.recordedWith(limits),
    };
    const { run, isNew } = this.guard.openRun(identity, invocation, admission, limits);
    if (isNew) this.guard.emit('run_started', run.subject, { inputId: input.id });
    return run;
  }

  #warnUnderived(threadId: string | undefined): void {
    const subject = { tenant: this.guard.tenant, runId: '', intentId: '' };
    this.guard.emit('warning', threadId === undefined ? subject : { ...subject, threadId }, {
      code: 'intent_underived',
      message:
        'no human message and no configurable.intent_id to derive the intent from: effects are protected within this process only',
    });
  }
}

function identityOf(record: RunRecord): RunIdentity {
  const { tenant, runId, intentId, threadId } = record;
  return { tenant, runId, intentId, ...(threadId === undefined ? {} : { threadId }) };
}

function isRunHolder(value: unknown): value is { readonly run: Run } {
  return typeof value === 'object' && value !== null && 'run' in value;
}
