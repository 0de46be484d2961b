import type { EffectKey } from '@holdfast/effect-ledger';
import type { Clock } from '../clock.js';
import type { FailureFacts } from '../failure.js';
import { onAbort } from '../on-abort.js';

/** A call that is under way in this process. */
export interface Flight {
  /** Settles with the failure to share, if any, when the call's pass through the gate is over. Never rejects. */
  readonly over: Promise<FailureFacts | undefined>;
  /** Settles when a request that outlived its pass has answered or is given up. Absent if none did. */
  late?: Promise<void> | undefined;
  /** The row that the pass worked on. Absent as long as it is not over, and where there is none. */
  effect?: EffectKey | undefined;
}

/** The one call of a wish that may go on; `end` must be called on every path. */
export interface Lead {
  readonly flight: Flight;
  /** The row of the equal call that was waited for last, if any. */
  readonly behind: EffectKey | undefined;
  end(failure?: FailureFacts): void;
}

export type Turn =
  | { readonly turn: 'lead'; readonly lead: Lead }
  /** The call that was joined failed without an effect: its failure is this one's too. */
  | { readonly turn: 'shared'; readonly failure: FailureFacts }
  | { readonly turn: 'cancelled' }
  /** The equal call takes longer than this one may. */
  | { readonly turn: 'out-of-time' };

export interface Patience {
  readonly signal?: AbortSignal;
  /** How long the call itself may still take: it waits no longer for others. In milliseconds; may be infinite. */
  leftMs(): number;
  /** How long to wait for a request that outlived its pass, in milliseconds; absent: until it is given up. */
  readonly lateMs?: number;
}

/**
 * Calls under way by wish, over all runs of a guard: an equal call waits for the one under way instead of
 * asking the ledger at the same time.
 */
export class Flights {
  readonly #byWish = new Map<string, Flight>();

  constructor(private readonly clock: Clock) {}

  /** Waits for equal calls before this one, then takes the lead. */
  async take(wish: string, patience: Patience): Promise<Turn> {
    let behind: EffectKey | undefined;
    for (;;) {
      const flight = this.#byWish.get(wish);
      if (flight === undefined) return { turn: 'lead', lead: this.#begin(wish, behind) };
      const joined = await this.#until(flight.over, patience.signal, patience.leftMs());
      if (!joined.arrived) {
        return { turn: patience.signal?.aborted ? 'cancelled' : 'out-of-time' };
      }
      behind = flight.effect ?? behind;
      if (joined.value?.effect === 'none') return { turn: 'shared', failure: joined.value };
      if (flight.late !== undefined) {
        const late = await this.#until(flight.late, patience.signal, patience.lateMs);
        if (patience.signal?.aborted) return { turn: 'cancelled' };
        // Still running after our patience: lead, and be told by the ledger that the outcome is unknown.
        // Unless another follower lost its patience first.
        if (!late.arrived && this.#byWish.get(wish) === flight) {
          return { turn: 'lead', lead: this.#begin(wish, behind) };
        }
      }
    }
  }

  #begin(wish: string, behind: EffectKey | undefined): Lead {
    let over: (failure: FailureFacts | undefined) => void = () => {};
    const flight: Flight = {
      over: new Promise((resolve) => {
        over = resolve;
      }),
    };
    this.#byWish.set(wish, flight);
    const forget = (): void => {
      if (this.#byWish.get(wish) === flight) this.#byWish.delete(wish);
    };
    return {
      flight,
      behind,
      end(failure) {
        if (flight.late === undefined) forget();
        else void flight.late.then(forget);
        over(failure);
      },
    };
  }

  #until<T>(
    awaited: Promise<T>,
    signal?: AbortSignal,
    ms?: number,
  ): Promise<{ readonly arrived: true; readonly value: T } | { readonly arrived: false }> {
    return new Promise((resolve) => {
      const cancelAlarm =
        ms === undefined || ms === Number.POSITIVE_INFINITY
          ? () => {}
          : this.clock.alarm(ms, true, () => finish({ arrived: false }));
      const finish = (
        end: { readonly arrived: true; readonly value: T } | { readonly arrived: false },
      ): void => {
        cancelAlarm();
        letGo();
        resolve(end);
      };
      const letGo = onAbort(signal, () => finish({ arrived: false }));
      if (signal?.aborted) {
        finish({ arrived: false });
        return;
      }
      void awaited.then((value) => finish({ arrived: true, value }));
    });
  }
}
