import type { Clock } from '../clock.js';
import { BreakerWindow } from './breaker-window.js';
import { CoolDown, type CoolDownSettings } from './cool-down.js';
import { type Health, HealthMemory } from './health-memory.js';

/**
 * What an attempt says about the dependency. Neutral is what says nothing about it: a 4xx, the caller's
 * cancel, a deadline that was too short from the start, a refusal of our own.
 */
export type Sample = 'success' | 'failure' | 'neutral';

/** All numbers above 0. `limits.ts` has defaults and legal ranges, and checks them. */
export interface BreakerSettings extends CoolDownSettings {
  /** Length of the sliding window, in milliseconds. */
  readonly windowMs: number;
  /** Opens at so many failures in the window, if they are also `ratePercent` of at least `minimumVolume` calls. */
  readonly failures: number;
  readonly ratePercent: number;
  readonly minimumVolume: number;
  /** Opens at so many failures without a success between them, whatever the rate. `Infinity`: never. */
  readonly consecutive: number;
  /** Successful probes that close it. */
  readonly successesToClose: number;
}

export type BreakerState = 'closed' | 'open' | 'half-open';

export interface BreakerChange {
  readonly from: BreakerState;
  readonly to: BreakerState;
  /**
   * `consecutive_failures`, `failure_rate`, `probe_failed`, `probe_lost`, `cool_down_over`,
   * `probes_succeeded`, `opened_by_hand`, `reset_by_hand`, or what `openFor` was told.
   */
  readonly cause: string;
  /** Of the window that decides, just before the change. */
  readonly failures: number;
  readonly calls: number;
  readonly consecutive: number;
  /** Wall-clock moment of the next probe. Absent unless it is open, and when it was opened by hand. */
  readonly untilMs?: number;
}

/** The right to one attempt. To be given back on every path, by recording what became of it. */
export interface Slot {
  /**
   * Only the first call counts.
   *
   * @param latencyMs how long the attempt took. Kept for a success only: a failure says nothing about speed
   * @param nowMs the moment, in monotonic milliseconds, where it is known; else the clock is asked
   */
  record(sample: Sample, latencyMs?: number, nowMs?: number): void;
}

export interface BreakerRefusal {
  readonly admitted: false;
  /** Wall-clock moment since which it is not closed. A failed probe does not move it. */
  readonly sinceMs: number;
  /** When to ask again at the earliest. 24 hours where only a person can close it. */
  readonly retryAfterMs: number;
  readonly state: 'open' | 'half-open' | 'manual';
}
export type Admission = { readonly admitted: true; readonly slot: Slot } | BreakerRefusal;

/** What is known of a dependency across runs. Moments are wall-clock milliseconds. */
export interface BreakerHealth extends Health {
  readonly state: BreakerState;
  /** Absent when closed. */
  readonly sinceMs?: number;
  /** Absent unless it is open, and when it was opened by hand. */
  readonly untilMs?: number;
  /** Failures since the last success. */
  readonly consecutive: number;
  readonly lastOpenedAt?: number;
}

/**
 * When a breaker that the server asked to open probes: not before the time that the server named, or, where
 * the server lets some calls through meanwhile, already after its own growing cool-downs.
 */
export type ProbePlan = 'at-reset' | 'doubling';

/** The longest time that a server's word opens a breaker for. */
const DAY_MS = 86_400_000;

/**
 * What it is in, from one change to the next. Its identity is the generation: a result counts only in the
 * period in which its attempt was admitted. All moments are monotonic milliseconds.
 */
type Period = Closed | Open | HalfOpen | { readonly state: 'manual'; readonly brokenAt: number };
interface Closed {
  readonly state: 'closed';
  readonly since: number;
}
interface Open {
  readonly state: 'open';
  readonly brokenAt: number;
  until: number;
}
interface HalfOpen {
  readonly state: 'half-open';
  readonly brokenAt: number;
  successes: number;
  /** End of the lease of the one slot; undefined while nobody holds it. */
  leasedUntil: number | undefined;
}

/**
 * Stops calls to a dependency that fails, and finds out by single probes when it is back. Has no timer: its
 * state follows from moments, and is brought up to date when it is asked or told something. Memory is
 * constant.
 *
 * A half-open breaker has one slot. It is leased: a holder that never records loses it at the end of the
 * lease, which counts as a failed probe of that moment.
 * Source: Michael T. Nygard, "Release It!", 2nd edition, "Circuit Breaker".
 *
 * @example
 * const admission = breaker.admit(timeoutMs)
 * if (!admission.admitted) return refused(admission)
 * admission.slot.record('success', elapsedMs)
 */
export class CircuitBreaker {
  /** Decides by what came since the last closing, and remembers the rest. */
  readonly #window: BreakerWindow;
  readonly #health: HealthMemory;
  readonly #coolDown: CoolDown;
  #period: Period = { state: 'closed', since: 0 };
  #consecutive = 0;
  #lastBroken: number | undefined;
  /** The latest moment that the clock showed. */
  #now = 0;

  /** @param onChange told of each change after it; of one that time made, when it is noticed. Must not throw. */
  constructor(
    private readonly settings: BreakerSettings,
    private readonly clock: Pick<Clock, 'monotonicMs' | 'wallMs'>,
    private readonly onChange: (change: BreakerChange) => void = () => {},
  ) {
    this.#window = new BreakerWindow(settings.windowMs);
    this.#health = new HealthMemory(this.#window);
    this.#coolDown = new CoolDown(settings);
  }

  /**
   * Asks for one attempt. The answer is immediate; nobody queues.
   *
   * @param leaseMs how long the half-open slot may be held: the attempt's timeout, at most `coolDownCapMs`
   * @param mayProbe whether this attempt may be the one that finds out if the dependency is back
   */
  admit(leaseMs: number, mayProbe = true): Admission {
    // A closed one needs no look at the clock: time alone changes nothing about it.
    // Stryker disable next-line all: with a look the answer is the same
    const period = this.#period.state === 'closed' ? this.#period : this.#currentPeriod();
    if (period.state === 'closed') return new HeldSlot(this.#take, period);
    if (period.state !== 'half-open' || period.leasedUntil !== undefined || !mayProbe) {
      return this.#refusal(period);
    }
    const { coolDownCapMs } = this.settings;
    period.leasedUntil =
      this.#now + (leaseMs > 0 ? Math.min(leaseMs, coolDownCapMs) : coolDownCapMs);
    return new HeldSlot(this.#take, period);
  }

  /**
   * Opens it until the time that the server itself named; the latest such time wins, never the last. Record
   * the sample of the attempt that brought the news first, so that a failed probe is counted as one.
   *
   * @param ms from now, in milliseconds; more than 24 hours count as 24, and what is not positive as nothing
   * @param cause for the event, such as `rate_limited`
   * @param probes default `at-reset`. `doubling` probes after the breaker's own growing cool-downs, none longer
   *   than a quarter of `ms`, and at the named time at the latest
   */
  openFor(ms: number, cause: string, probes: ProbePlan = 'at-reset'): void {
    const period = this.#currentPeriod();
    if (!(ms > 0) || period.state === 'manual') return;
    const namedMs = Math.min(ms, DAY_MS);
    const reset = this.#now + namedMs;
    // Stryker disable next-line ConditionalExpression: what opens until the reset asks for no wait before it
    if (probes === 'doubling') this.#coolDown.announce(namedMs, this.#now);
    if (period.state !== 'open')
      this.#break(cause, this.#now, probes === 'at-reset' ? reset : undefined);
    else if (probes === 'at-reset') period.until = Math.max(period.until, reset);
  }

  /** The kill switch: admits nothing until `reset`. */
  open(): void {
    const period = this.#currentPeriod();
    if (period.state === 'manual') return;
    const brokenAt = period.state === 'closed' ? this.#now : period.brokenAt;
    this.#enter({ state: 'manual', brokenAt }, 'opened_by_hand');
  }

  /** Closes it by hand and forgets why it was open. What is under way counts for nothing any more. */
  reset(): void {
    this.#currentPeriod();
    this.#coolDown.forget();
    this.#enter({ state: 'closed', since: this.#now }, 'reset_by_hand');
  }

  /** As of now: `half-open` from the moment on at which a probe may be admitted. */
  get state(): BreakerState {
    return shown(this.#currentPeriod());
  }

  /** Of about the last thousand successes, in milliseconds; undefined without any. */
  get p99Ms(): number | undefined {
    return this.#health.p99Ms;
  }

  snapshot(): BreakerHealth {
    const period = this.#currentPeriod();
    return {
      ...this.#health.read(this.#now),
      state: shown(period),
      ...(period.state === 'closed' ? {} : { sinceMs: this.#onWall(period.brokenAt) }),
      ...(period.state === 'open' ? { untilMs: this.#onWall(period.until) } : {}),
      consecutive: this.#consecutive,
      ...(this.#lastBroken === undefined ? {} : { lastOpenedAt: this.#onWall(this.#lastBroken) }),
    };
  }

  /** What a slot hands in. */
  readonly #take: HandIn = (admittedIn, sample, latencyMs, nowMs) => {
    // Stryker disable next-line all: a shortcut; it would return below
    if (sample === 'neutral' && admittedIn.state === 'closed') return;
    const isLate = this.#currentPeriod(nowMs) !== admittedIn;
    if (admittedIn.state === 'half-open') admittedIn.leasedUntil = undefined;
    if (sample === 'neutral') return;
    const failed = sample === 'failure';
    if (!failed && latencyMs !== undefined) this.#health.succeeded(latencyMs);
    if (isLate) {
      this.#window.addAside(this.#now, failed);
      return;
    }
    this.#window.add(this.#now, failed);
    this.#consecutive = failed ? this.#consecutive + 1 : 0;
    if (admittedIn.state === 'half-open') this.#judgeProbe(admittedIn, failed);
    else if (failed) this.#judgeFailures();
  };

  #judgeProbe(period: HalfOpen, failed: boolean): void {
    if (failed) {
      this.#break('probe_failed', this.#now);
      return;
    }
    period.successes += 1;
    if (period.successes < this.settings.successesToClose) return;
    this.#coolDown.recovered();
    this.#enter({ state: 'closed', since: this.#now }, 'probes_succeeded');
  }

  #judgeFailures(): void {
    const { consecutive, failures, minimumVolume, ratePercent } = this.settings;
    if (this.#consecutive >= consecutive) {
      this.#break('consecutive_failures', this.#now);
      return;
    }
    const counts = this.#window.counts(this.#now);
    const isSick =
      counts.failures >= failures &&
      counts.calls >= minimumVolume &&
      counts.failures * 100 >= ratePercent * counts.calls;
    if (isSick) this.#break('failure_rate', this.#now);
  }

  /** Looks at the clock and takes the steps that time has made since. */
  #currentPeriod(shows = this.clock.monotonicMs()): Period {
    // Never back, whatever the clock does.
    // Stryker disable next-line EqualityOperator: an equal moment is the same moment
    if (shows > this.#now) this.#now = shows;
    if (this.#period.state === 'half-open') {
      const { leasedUntil } = this.#period;
      // As of the lease's end: what follows must not depend on when somebody looks.
      if (leasedUntil !== undefined && this.#now >= leasedUntil)
        this.#break('probe_lost', leasedUntil);
    }
    if (this.#period.state === 'open' && this.#now >= this.#period.until) {
      const { brokenAt } = this.#period;
      this.#enter(
        { state: 'half-open', brokenAt, successes: 0, leasedUntil: undefined },
        'cool_down_over',
      );
    }
    return this.#period;
  }

  /** Opens it as of `at`. @param until named by the server; else its own cool-down decides */
  #break(cause: string, at: number, until?: number): void {
    const before = this.#period;
    if (before.state === 'closed') this.#coolDown.closedPeriodEnds(before.since, at);
    const brokenAt = before.state === 'closed' ? at : before.brokenAt;
    this.#enter({ state: 'open', brokenAt, until: until ?? this.#coolDown.next(at) }, cause);
  }

  #enter(period: Period, cause: string): void {
    const before = this.#period;
    const change: BreakerChange = {
      from: shown(before),
      to: shown(period),
      cause,
      ...this.#window.counts(this.#now),
      consecutive: this.#consecutive,
      ...(period.state === 'open' ? { untilMs: this.#onWall(period.until) } : {}),
    };
    this.#period = period;
    if (period.state === 'closed') {
      this.#window.setAside();
      this.#consecutive = 0;
      if (before.state === 'closed') return;
    } else {
      this.#lastBroken = period.brokenAt;
    }
    this.onChange(change);
  }

  #refusal(period: Exclude<Period, Closed>): BreakerRefusal {
    return {
      admitted: false,
      sinceMs: this.#onWall(period.brokenAt),
      retryAfterMs: Math.ceil(this.#refusedForMs(period)),
      state: period.state,
    };
  }

  #refusedForMs(period: Exclude<Period, Closed>): number {
    switch (period.state) {
      case 'open':
        return period.until - this.#now;
      case 'half-open':
        // With the slot free only a call that may probe can change anything, and nobody knows when one comes.
        return period.leasedUntil === undefined
          ? this.settings.coolDownMs
          : period.leasedUntil - this.#now;
      case 'manual':
        return DAY_MS;
    }
  }

  /** A moment of ours on the wall clock as that is set now. */
  #onWall(moment: number): number {
    return Math.round(this.clock.wallMs() + moment - this.#now);
  }
}

function shown({ state }: Period): BreakerState {
  return state === 'manual' ? 'open' : state;
}

type HandIn = (
  admittedIn: Period,
  sample: Sample,
  latencyMs: number | undefined,
  nowMs: number | undefined,
) => void;

/** Admission and slot in one, so that a closed breaker costs one object per attempt. */
class HeldSlot implements Slot {
  readonly admitted = true;
  #isHeld = true;

  constructor(
    private readonly handIn: HandIn,
    private readonly admittedIn: Period,
  ) {}

  get slot(): Slot {
    return this;
  }

  record(sample: Sample, latencyMs?: number, nowMs?: number): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.handIn(this.admittedIn, sample, latencyMs, nowMs);
  }
}
