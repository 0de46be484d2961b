import { z } from 'zod';

/** A text that is given once. A number is how the parser reads a name of digits. */
export const text = (option: string, what: string) =>
  z.union([z.string(), z.number()], { error: `${option} takes ${what}, once.` }).transform(String);

/** One of a few words. */
export const choice = <const K extends string>(option: string, among: readonly K[]) =>
  z.enum(among, {
    error: ({ input }) => `${option} takes ${among.join(', ')}, not ${JSON.stringify(input)}.`,
  });
