import { z } from 'zod';

/**
 * What a service did: how often each wish took effect, how often it only repeated an answer, and how many
 * writes it was asked for at all.
 */
export const tally = z.object({
  effects: z.record(z.string(), z.int()),
  replays: z.int(),
  requests: z.int(),
});
export type Tally = z.infer<typeof tally>;

/** Counts equal wishes, one entry of the list per effect. */
export function countWishes(wishes: readonly string[]): Tally['effects'] {
  const effects: Tally['effects'] = {};
  for (const wish of wishes) effects[wish] = (effects[wish] ?? 0) + 1;
  return effects;
}
