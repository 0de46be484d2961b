import { z } from 'zod';

/** What a service tells the process that started it. */
export const announcement = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), url: z.url() }),
  z.object({ kind: z.literal('held') }),
]);
export type Announcement = z.infer<typeof announcement>;

/** Tells the parent over its IPC channel; a service started by hand prints a JSON line instead. */
export function announce(message: Announcement): void {
  if (process.send) process.send(message);
  else console.log(JSON.stringify(message));
}
