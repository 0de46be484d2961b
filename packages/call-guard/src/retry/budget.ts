import type { Clock } from '../clock.js';

const WINDOW_MS = 10_000;
const BUCKETS = 10;
const BUCKET_MS = WINDOW_MS / BUCKETS;

interface Bucket {
  /** Which stretch of time it counts; an older one counts nothing. */
  slice: number;
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
  readonly #buckets: readonly Bucket[] = Array.from({ length: BUCKETS }, () => ({
    slice: -1,
    firstTries: 0,
    retries: 0,
  }));

  constructor(
    private readonly setting: {
      readonly percent: number;
      readonly floor: number;
      readonly clock: Pick<Clock, 'monotonicMs'>;
    },
  ) {}

  /** A call was tried for the first time. */
  deposit(): void {
    this.#current().firstTries += 1;
  }

  /** Takes one retry; false where none is left. */
  withdraw(): boolean {
    if (this.left() < 1) return false;
    this.#current().retries += 1;
    return true;
  }

  /** Retries that may be made now. */
  left(): number {
    const oldest = this.#slice() - BUCKETS;
    let firstTries = 0;
    let retries = 0;
    for (const bucket of this.#buckets) {
      if (bucket.slice <= oldest) continue;
      firstTries += bucket.firstTries;
      retries += bucket.retries;
    }
    const { percent, floor } = this.setting;
    return floor + (firstTries * percent) / 100 - retries;
  }

  #slice(): number {
    return Math.floor(this.setting.clock.monotonicMs() / BUCKET_MS);
  }

  #current(): Bucket {
    const slice = this.#slice();
    const bucket = this.#buckets[slice % BUCKETS];
    if (bucket === undefined) throw new RangeError(`no bucket for ${slice}`);
    if (bucket.slice !== slice) Object.assign(bucket, { slice, firstTries: 0, retries: 0 });
    return bucket;
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
