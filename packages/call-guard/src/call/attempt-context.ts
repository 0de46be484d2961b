import type { EffectKey } from '@holdfast/effect-ledger';
import type { CallContext, RequestNotes } from '../call-context.js';
import type { FailureFacts } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import type { RequestWatch } from '../request-watch.js';
import type { TimeLeft } from '../run/deadline.js';
import { deadlineHeader } from '../run/propagation.js';
import { settingOf } from './attempt-setting.js';
import type { Declared } from './call.js';
import { frozenText } from './frozen-arguments.js';
import { Steps, type StepWork } from './step.js';
import { watchRequests } from './watch-requests.js';

/** The beginning of one try. */
export interface TryBegin {
  /** 1 for the first. */
  readonly attempt: number;
  /** In monotonic milliseconds. */
  readonly nowMs: number;
}

/**
 * What the tool's code sees, and the time that it has. What most tools never ask for is made when somebody
 * asks: an abort controller alone takes longer than all the rest of a call.
 */
export class AttemptContext implements CallContext, TimeLeft {
  readonly runId: string;
  readonly intentId: string;
  readonly tenant: string;
  readonly callId: string;
  readonly attempt: number;
  readonly input: unknown;
  readonly notes: RequestNotes = { keyCarried: false, requestsSent: 0, requestsRefused: 0 };
  readonly #endsAt: number | undefined;
  #controller: AbortController | undefined;
  #reason: FailureFacts | undefined;
  #listeners: Set<(reason: unknown) => void> | undefined;

  #steps: Steps | undefined;
  #requests: RequestWatch | undefined;

  constructor(
    private readonly of: Declared,
    { attempt, nowMs }: TryBegin,
    private readonly parts: GateParts,
  ) {
    this.attempt = attempt;
    const { run } = of.host;
    this.runId = run.runId;
    this.intentId = run.intentId;
    this.tenant = run.tenant;
    this.callId = of.request.callId;
    this.input = of.input;
    this.#endsAt = of.timeoutMs === undefined ? undefined : nowMs + of.timeoutMs;
  }

  get tool(): string {
    return this.of.request.tool;
  }

  get idempotencyKey(): EffectKey | undefined {
    const key = this.of.effect?.key;
    if (key !== undefined) this.notes.keyCarried = true;
    return key;
  }

  get inputText(): string | undefined {
    return frozenText(this.of.effect?.frozenArgs);
  }

  get remainingMs(): number {
    return this.#endsAt === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, this.#endsAt - this.parts.clock.monotonicMs());
  }

  leftMs(): number {
    return this.remainingMs;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  onGivenUp(listener: (reason: unknown) => void): () => void {
    if (this.#reason !== undefined) {
      listener(this.#reason);
      return () => {};
    }
    // A listener of its own for each caller, even if two give the same function.
    const own = (reason: unknown): void => listener(reason);
    this.#listeners ??= new Set();
    this.#listeners.add(own);
    return () => this.#listeners?.delete(own);
  }

  headers(): Record<string, string> {
    return this.#headersWith(headerOf(this.of) === undefined ? undefined : this.idempotencyKey);
  }

  #headersWith(key: EffectKey | undefined): Record<string, string> {
    const header = headerOf(this.of);
    return {
      ...(header === undefined || key === undefined ? {} : { [header]: key }),
      ...deadlineHeader(this.remainingMs),
    };
  }

  get steps(): Steps {
    this.#steps ??= new Steps(
      {
        call: this.of,
        row: this.of.effect,
        context: this,
        notes: this.notes,
        classifying: (of) => settingOf(this.of, of, this.parts),
        headersWith: (key) => this.#headersWith(key),
      },
      this.parts,
    );
    return this.#steps;
  }

  get stepsDone(): readonly string[] {
    return this.#steps?.done ?? [];
  }

  // A function of its own, so that it can be taken out of the context.
  get step(): <T>(name: string, work: StepWork<T>) => Promise<T> {
    return (name, work) => this.steps.run(name, work);
  }

  get requests(): RequestWatch {
    this.#requests ??= watchRequests(this.of, this.parts);
    return this.#requests;
  }

  abort(reason: FailureFacts): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const listener of this.#listeners ?? []) listener(reason);
    this.#listeners = undefined;
  }

  /** The work is over: nothing of it listens any more. */
  end(): void {
    this.#requests?.end();
  }
}

/** Where the key travels: the declared header; else the usual one, by which a probe may find the effect. */
function headerOf(call: Declared): string | undefined {
  const idempotency = call.contract.declared ? call.contract.entry.idempotency : undefined;
  if (idempotency?.class !== 'idempotent-write') return 'Idempotency-Key';
  return 'header' in idempotency.sentAs ? idempotency.sentAs.header : undefined;
}
