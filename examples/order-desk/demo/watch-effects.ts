import { setTimeout as sleep } from 'node:timers/promises';
import type { Services, Tallies } from '../services/start-services.js';
import type { Tally } from '../services/tally.js';

/** How often the services are asked, in milliseconds. */
const LOOK_EVERY_MS = 250;

interface EffectWatch {
  /** Looks now, so that what is told next comes after what was counted before it. */
  look(): Promise<Tallies>;
  /** Looks a last time, and returns what the services counted by then. */
  stop(): Promise<Tallies>;
}

/**
 * Watches what the services count while an agent works.
 *
 * @param onEffect told of each rise, with the count that was reached.
 */
export function watchEffects(
  services: Services,
  onEffect: (wish: string, count: number) => void,
): EffectWatch {
  const seen: Tally['effects'] = {};
  const stopped = new AbortController();

  async function look(): Promise<Tallies> {
    const tallies = await services.tallies();
    for (const [wish, count] of Object.entries(effectsOf(tallies))) {
      if (count <= (seen[wish] ?? 0)) continue;
      seen[wish] = count;
      onEffect(wish, count);
    }
    return tallies;
  }

  async function keepLooking(): Promise<void> {
    while (!stopped.signal.aborted) {
      await look();
      await sleep(LOOK_EVERY_MS);
    }
  }

  const looking = keepLooking();
  // A service that is gone shows in stop().
  looking.catch(() => {});
  return {
    look,
    stop: async () => {
      stopped.abort();
      await looking;
      return look();
    },
  };
}

/** How often each wish took effect, over both services. */
export function effectsOf({ orders, mail }: Tallies): Tally['effects'] {
  return { ...orders.effects, ...mail.effects };
}

/** How often the wish took effect that did so most often. */
export function mostOf(tallies: Tallies): number {
  return Math.max(0, ...Object.values(effectsOf(tallies)));
}
