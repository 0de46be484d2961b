import type { Clock } from '../clock.js';

const WINDOW_MS = 10_000;
const BUCKETS = 10;
const BUCKET_MS = WINDOW_MS / BUCKETS;

interface Bucket {
  firstTries: number;
  retries: number;
}

/**
 * How many retries a resource group may make: a share of its first tries within the last ten seconds, and
 * a small floor so that a quiet system may retry. During an outage of everything, retries are a share of
 * the load and not a multiple of it. Memory is a fixed number of buckets.
 * Source: Finagle's `RetryBudget` (Twitter, 2016).
 */
export class RetryBudget {
  /** By number of the stretch of time that they count. */
  readonly #buckets = new Map<number, Bucket>();

  constructor(
    private readonly setting: {
      readonly percent: number;
      readonly floor: number;
      readonly clock: Pick<Clock, 'monotonicMs'>;
    },
  ) {}

  /**
   * A call was tried for the first time.
   *
   * @param nowMs the moment, in monotonic milliseconds, where it is known; else the clock is asked
   */
  deposit(nowMs?: number): void {
    this.#at(nowMs).firstTries += 1;
  }

  /** Takes one retry; false where none is left. */
  withdraw(): boolean {
    if (this.left() < 1) return false;
    this.#at().retries += 1;
    return true;
  }

  /** Retries that may be made now. */
  left(): number {
    this.#at();
    let firstTries = 0;
    let retries = 0;
    for (const bucket of this.#buckets.values()) {
      firstTries += bucket.firstTries;
      retries += bucket.retries;
    }
    const { percent, floor } = this.setting;
    return floor + (firstTries * percent) / 100 - retries;
  }

  /** The bucket of a moment. With each new one those that are older than the window are dropped. */
  #at(nowMs = this.setting.clock.monotonicMs()): Bucket {
    const slice = Math.floor(nowMs / BUCKET_MS);
    const known = this.#buckets.get(slice);
    if (known !== undefined) return known;
    for (const old of this.#buckets.keys()) {
      if (old <= slice - BUCKETS) this.#buckets.delete(old);
    }
    const made = { firstTries: 0, retries: 0 };
    this.#buckets.set(slice, made);
    return made;
  }
}

/** The budgets of all resource groups, made with their first use. */
export class RetryBudgets {
  readonly #byGroup = new Map<string, RetryBudget>();

  constructor(private readonly setting: ConstructorParameters<typeof RetryBudget>[0]) {}

  /** Groups are the registry's, so there are few. */
  of(group: string): RetryBudget {
    const known = this.#byGroup.get(group);
    if (known !== undefined) return known;
    const made = new RetryBudget(this.setting);
    this.#byGroup.set(group, made);
    return made;
  }
}
