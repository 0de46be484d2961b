import { readFile } from 'node:fs/promises';
import type { GuardEvent } from '@holdfast/call-guard';
import { z } from 'zod';

const common = z.looseObject({ type: z.string(), at: z.number(), runId: z.string() });
const guardEvent = z.custom<GuardEvent>((value) => common.safeParse(value).success);

/** Reads a run's events, of whichever process, from a file with a line of JSON each. */
export async function eventsOfRun(file: string, runId: string): Promise<GuardEvent[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines
    .map((line) => guardEvent.parse(JSON.parse(line)))
    .filter((event) => event.runId === runId);
}
