import { z } from 'zod';

/** How a scripted model is made difficult: it takes its time, and asks again whatever it is told. */
export const modelFault = z.object({
  fault: z.literal('insists'),
  /** How long it thinks about each turn, in milliseconds. */
  thinkMs: z.int().nonnegative(),
});
export type ModelFault = z.infer<typeof modelFault>;
