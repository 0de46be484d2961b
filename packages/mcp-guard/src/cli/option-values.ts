import { z } from 'zod';

/** A text that is given once. A number is how the parser reads a name of digits. */
export const text = (option: string, what: string) =>
  z.union([z.string(), z.number()], { error: `${option} takes ${what}, once.` }).transform(String);

/** How many bytes: a whole number in a range, or 0, which stands for no limit. */
export const byteCap = (option: string, least: number, most: number) =>
  z.custom<number>((value) => value === 0 || isWhole(value, least, most), {
    error: ({ input }) =>
      `${option} takes bytes, ${least} to ${most}, or 0 for no limit, not ${JSON.stringify(input)}.`,
  });

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

/** Names, parted by commas or given one by one. */
export const names = (option: string) =>
  z
    .union([z.string().transform((one) => [one]), z.array(z.string())], {
      error: `${option} takes names: ${option} A,B.`,
    })
    .transform((given) => given.flatMap((one) => one.split(',')))
    .refine((given) => given.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)), {
      error: `${option} takes names: ${option} A,B.`,
    });

/** Given, or not. */
export const flag = (option: string) => z.boolean({ error: `${option} takes nothing.` });

/** One of a few words. */
export const choice = <const K extends string>(option: string, among: readonly K[]) =>
  z.enum(among, {
    error: ({ input }) => `${option} takes ${among.join(', ')}, not ${JSON.stringify(input)}.`,
  });
