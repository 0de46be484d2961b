import type {
  Admission,
  CheckpointStamp,
  Claimant,
  EffectKey,
  LedgerStore,
  Owner,
} from '@holdfast/effect-ledger';
import type { EventSubject } from '../events/event.js';
import type { Locale } from '../failure-texts/user.js';
import { type Modes, shadowTenant } from '../mode.js';
import { CallEnds } from './call-ends.js';
import type { Deadline } from './deadline.js';
import { Decisions } from './decisions.js';
import { EffectView } from './effect-view.js';
import { LoopGuard } from './loop-guard.js';
import { TimeBudget } from './time-budget.js';

/** What fixes a run; the rest follows from the ledger. */
export interface RunIdentity {
  readonly tenant: string;
  readonly runId: string;
  /** The logical wish behind the run's effects, inherited by every retry, resume and replay. */
  readonly intentId: string;
  readonly threadId?: string;
}

/**
 * One invocation of a run in this process. A resume in another process, or a second invocation in this
 * one, is another object with another owner over the same rows.
 */
export class Run implements RunIdentity {
  readonly tenant: string;
  readonly runId: string;
  readonly intentId: string;
  readonly threadId?: string;
  readonly owner: Owner;
  readonly view: EffectView;
  readonly decisions: Decisions;
  readonly ends = new CallEnds();
  /** What was switched how when the run began. */
  readonly modes: Modes;
  /** The language of the run's user. */
  readonly locale: Locale;
  readonly budget: TimeBudget;
  readonly loops = new LoopGuard();
  /** Tools whose breaker refused a call of this run, or opened on one. */
  readonly off = new Set<string>();
  /** Calls that were refused as loops, and of which tools. */
  loopRefusals = 0;
  readonly loopedTools = new Set<string>();
  /** Effects of before a crash that have answered a call since. */
  readonly consumed = new Set<EffectKey>();
  /** Whether somebody reports on this invocation, and writes down the run's end with the report. */
  endsByReport = false;
  /** Stamps of checkpoints that wait for the next claim, by checkpoint namespace. */
  readonly pendingStamps = new Map<string, CheckpointStamp>();
  /** Ledger sequence of the last stamp that was written. */
  stampedSeq = 0;
  /** Given with the first claim. */
  epoch: number | undefined;
  #admitted: Promise<unknown> | undefined;
  #unwritten = 0;

  constructor(
    identity: RunIdentity,
    private readonly setting: {
      readonly ledger: LedgerStore;
      readonly owner: Owner;
      readonly leaseMs: number;
      readonly modes: Modes;
      readonly locale: Locale;
      readonly deadline: Deadline;
      readonly expectedMs: (tool: string) => number;
      /** What is written down of the run, put together when it is. Absent where nothing is. */
      readonly admission?: (() => Admission) | undefined;
    },
  ) {
    this.tenant = identity.tenant;
    this.runId = identity.runId;
    this.intentId = identity.intentId;
    if (identity.threadId !== undefined) this.threadId = identity.threadId;
    this.owner = setting.owner;
    this.view = new EffectView(setting.ledger, identity);
    this.decisions = new Decisions(setting.ledger, identity);
    this.modes = setting.modes;
    this.locale = setting.locale;
    this.budget = new TimeBudget(setting.deadline, {
      effects: () => this.view.all().map(({ effect }) => effect),
      expectedMs: setting.expectedMs,
    });
  }

  /** What the run's own events are about. */
  get subject(): EventSubject {
    const { tenant, runId, intentId, threadId } = this;
    return { tenant, runId, intentId, ...(threadId === undefined ? {} : { threadId }) };
  }

  /** An id for an attempt that no row will hold: as unique as a random one, and cheaper. */
  attemptId(): string {
    this.#unwritten += 1;
    return `${this.owner.id}/${this.#unwritten}`;
  }

  /** Writes the run down, once, before its first effect or model call. */
  admit(): Promise<unknown> {
    const { admission, ledger } = this.setting;
    if (admission === undefined) return Promise.resolve();
    this.#admitted ??= ledger.admit(admission()).catch((error: unknown) => {
      this.#admitted = undefined;
      throw error;
    });
    return this.#admitted;
  }

  /** Id of the human input that the run is for, where its admission is known. */
  get inputId(): string | undefined {
    return this.setting.admission?.().inputId;
  }

  /** Whether the run belongs to this ledger and tenant: a tool of another guard has another run. */
  isOf(ledger: LedgerStore, tenant: string): boolean {
    // Switched to watching or back since it began, the run is the guard's all the same.
    const isMine =
      this.tenant === tenant ||
      this.tenant === shadowTenant(tenant) ||
      shadowTenant(this.tenant) === tenant;
    return this.setting.ledger === ledger && isMine;
  }

  /** Whether this invocation wrote the run down. */
  get isAdmitted(): boolean {
    return this.#admitted !== undefined;
  }

  /** As whom to claim, or to take up a row of another run, whose epochs are not ours. */
  claimant(gone?: string, runId = this.runId): Claimant {
    const isOwn = runId === this.runId;
    return {
      owner: this.owner,
      leaseMs: this.setting.leaseMs,
      ...(isOwn ? { consumedMs: Math.round(this.budget.deadline.consumedMs()) } : {}),
      ...(this.epoch === undefined || !isOwn ? {} : { epoch: this.epoch }),
      ...(gone === undefined ? {} : { gone }),
    };
  }
}
