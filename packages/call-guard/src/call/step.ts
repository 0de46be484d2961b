import { type EffectIn, type EffectKey, isInDoubt, stepKey } from '@holdfast/effect-ledger';
import { SetupError } from '@holdfast/tool-registry';
import { type CallContext, insideScope, type RequestNotes } from '../call-context.js';
import { classify } from '../classify/classify.js';
import type { AttemptSetting } from '../classify/reading-facts.js';
import type { FailureFacts } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import { withEffect } from '../next-step.js';
import { StatedFailure } from '../stated-failure.js';
import type { Declared } from './call.js';
import type { Ending } from './settle.js';
import { enterStep, type StepEntry, settleStep } from './step-row.js';
import type { StepEnd } from './steps-under-way.js';
import { jsonCodec, storeResult } from './stored-result.js';
import { subjectOf } from './subject.js';

const LONGEST_NAME = 200;

/** What a part of a tool's work does. It is given the call's context under the step's own key. */
export type StepWork<T> = (step: CallContext) => Promise<T> | T;

/** The work that steps are parts of: one try of a call, or a step of it. */
export interface StepsSetting {
  readonly call: Declared;
  /** The row of that work; absent where nothing is written down. */
  readonly row: EffectIn<'attempting'> | undefined;
  readonly context: CallContext;
  readonly notes: RequestNotes;
  readonly classifying: (notes: RequestNotes) => AttemptSetting;
  /** What a request carries under a key. */
  readonly headersWith: (key: EffectKey) => Record<string, string>;
}

/**
 * The steps of one try: named parts of a tool's work with rows of their own, written before they run and
 * settled after. A tool is entered again from its first line after a pause, a retry or a crash, and a step
 * that is done then gives its result instead of running.
 */
export class Steps {
  readonly #names = new Set<string>();
  readonly #done: string[] = [];
  readonly #failures = new Map<unknown, FailureFacts>();

  constructor(
    private readonly setting: StepsSetting,
    private readonly parts: GateParts,
  ) {}

  /** The steps that are known to be done by now. */
  get done(): readonly string[] {
    return this.#done;
  }

  /**
   * Runs `work`, or gives the result that it gave before.
   *
   * @throws SetupError `option_out_of_range` for a name that is none, or that this try has used
   * @throws StatedFailure where it must not run: its outcome is unknown, or it cannot be written down
   */
  async run<T>(name: string, work: StepWork<T>): Promise<T> {
    this.#takeName(name);
    const { row, context, notes } = this.setting;
    if (row === undefined) return work(context);
    const key = stepKey(row.key, name);
    const { steps } = this.parts;
    // A try that was given up may still be at it.
    const underWay = steps.get(key) ?? this.#begin(name, row, work);
    steps.set(key, underWay);
    let end: StepEnd;
    try {
      end = await underWay;
    } finally {
      if (steps.get(key) === underWay) steps.delete(key);
    }
    // Each step answers for its own key; what was sent beside them needs the call's.
    if (notes.requestsSent === 0) notes.keyCarried = true;
    if (end.ended === 'threw') {
      this.#failures.set(end.error, end.facts);
      throw end.error;
    }
    this.#done.push(name);
    return end.result as T;
  }

  /** What the step that threw `error` knows of it; undefined for one that came from elsewhere. */
  explain(error: unknown): FailureFacts | undefined {
    const facts = this.#failures.get(error);
    // The step speaks for itself alone.
    return facts?.effect === 'none' && this.setting.notes.requestsSent > 0
      ? withEffect(facts, 'unknown')
      : facts;
  }

  #takeName(name: string): void {
    const isName = typeof name === 'string' && name !== '' && name.length <= LONGEST_NAME;
    if (isName && !this.#names.has(name)) {
      this.#names.add(name);
      return;
    }
    const field = `${this.setting.call.request.tool}: step(${JSON.stringify(name)})`;
    throw new SetupError('option_out_of_range', [
      isName
        ? {
            field,
            reason: 'the call has a step of that name already',
            fix: 'give each step a name of its own',
          }
        : { field, reason: 'it is no name', fix: `give 1 to ${LONGEST_NAME} characters` },
    ]);
  }

  async #begin<T>(
    name: string,
    parent: EffectIn<'attempting'>,
    work: StepWork<T>,
  ): Promise<StepEnd> {
    const { call, context } = this.setting;
    if (context.signal.aborted) throw new StatedFailure('cancelled', 'unknown', { by: 'caller' });
    const entry: StepEntry = { name, parent, call, attemptId: this.parts.newId() };
    const row = await enterStep(entry, this.parts);
    switch (row.state) {
      case 'attempting':
        if (row.attempts.at(-1)?.id === entry.attemptId) return this.#perform(entry, row, work);
        throw new StatedFailure('in_flight', 'unknown', { key: row.key });
      case 'succeeded':
        return { ended: 'gave', result: await this.#resultOf(row, name) };
      case 'unknown':
        this.#tell(name, row.key, 'unknown');
        throw new StatedFailure('outcome_unknown', 'unknown', {
          key: row.key,
          since: row.since,
          checking: false,
        });
      case 'failed':
      case 'suspended':
        throw new StatedFailure('in_flight', 'unknown', { key: row.key });
    }
  }

  async #resultOf({ key, result }: EffectIn<'succeeded'>, name: string): Promise<unknown> {
    this.#tell(name, key, 'folded');
    if (result.kept) return this.#codec.decode(result);
    const reason = `its step "${name}" is done, and what it gave was not kept: ${result.reason}`;
    throw new StatedFailure('result_not_kept', 'unknown', { key, reason });
  }

  async #perform<T>(
    entry: StepEntry,
    row: EffectIn<'attempting'>,
    work: StepWork<T>,
  ): Promise<StepEnd> {
    const { call, classifying } = this.setting;
    const { name } = entry;
    const notes: RequestNotes = { keyCarried: false, requestsSent: 0, requestsRefused: 0 };
    const inner = new StepContext(this.setting, row, notes, this.parts);
    const settle = (ending: Ending): Promise<void> =>
      settleStep(entry, row, ending, notes.keyCarried, this.parts);
    const evidence = { by: 'attempt' as const };
    let result: T;
    try {
      result = await insideScope({ call: inner, notes }, async () => work(inner));
    } catch (error) {
      if (call.host.suspends?.(error)) {
        await settle({ to: 'suspended' });
        throw error;
      }
      const own = withParts(
        inner.steps.explain(error) ?? classify(error, classifying(notes)),
        inner.steps.done,
      );
      // That this try did nothing is no word about one before it.
      const facts = own.effect === 'none' && isInDoubt(row) ? withEffect(own, 'unknown') : own;
      const isKnown = facts.effect === 'none';
      await settle(
        isKnown
          ? { to: 'failed', failureKind: facts.kind, evidence }
          : { to: 'unknown', since: this.parts.clock.wallMs(), reason: facts.kind, evidence },
      );
      this.#tell(name, row.key, isKnown ? 'failed' : 'unknown');
      return { ended: 'threw', error, facts };
    }
    const stored = await storeResult(result, this.#codec);
    if (!stored.kept) {
      this.parts.emit('warning', subjectOf(call, { key: row.key }), {
        code: 'result_not_kept',
        message: `${row.tool}: its step "${name}" is done, but cannot be given again: ${stored.reason}`,
      });
    }
    await settle({ to: 'succeeded', result: stored, undo: { undo: 'none' }, evidence });
    this.#tell(name, row.key, 'succeeded');
    return { ended: 'gave', result };
  }

  get #codec() {
    return this.setting.call.host.stepCodec ?? jsonCodec;
  }

  #tell(
    step: string,
    key: EffectKey,
    outcome: 'succeeded' | 'failed' | 'unknown' | 'folded',
  ): void {
    const { call } = this.setting;
    const subject = subjectOf(call, { key, attemptId: call.attemptId });
    this.parts.emit('step_finished', subject, { step, outcome });
  }
}

/** A failure after steps that are done has not left nothing behind. */
export function withParts(failure: FailureFacts, stepsDone: readonly string[]): FailureFacts {
  if (stepsDone.length === 0) return failure;
  return { ...(failure.effect === 'none' ? withEffect(failure, 'unknown') : failure), stepsDone };
}

/** The context of the work around, under the step's own key. */
class StepContext implements CallContext {
  readonly runId: string;
  readonly intentId: string;
  readonly tenant: string;
  readonly tool: string;
  readonly callId: string;
  readonly attempt: number;
  readonly input: unknown;
  readonly steps: Steps;

  constructor(
    private readonly around: StepsSetting,
    private readonly row: EffectIn<'attempting'>,
    private readonly notes: RequestNotes,
    parts: GateParts,
  ) {
    const { context } = around;
    this.runId = context.runId;
    this.intentId = context.intentId;
    this.tenant = context.tenant;
    this.tool = context.tool;
    this.callId = context.callId;
    this.attempt = context.attempt;
    this.input = context.input;
    this.steps = new Steps({ ...around, row, notes, context: this }, parts);
  }

  get signal(): AbortSignal {
    return this.around.context.signal;
  }

  onGivenUp(listener: (reason: unknown) => void): () => void {
    return this.around.context.onGivenUp(listener);
  }

  get remainingMs(): number {
    return this.around.context.remainingMs;
  }

  get idempotencyKey(): EffectKey {
    this.notes.keyCarried = true;
    return this.row.key;
  }

  headers(): Record<string, string> {
    const headers = this.around.headersWith(this.row.key);
    if (Object.values(headers).includes(this.row.key)) this.notes.keyCarried = true;
    return headers;
  }

  readonly step = <T>(name: string, work: StepWork<T>): Promise<T> => this.steps.run(name, work);
}
