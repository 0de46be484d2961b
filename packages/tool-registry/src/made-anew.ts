/** Defaults that are made anew each time (`.default(() => crypto.randomUUID())`). */
import { z } from 'zod';

type Definition = z.core.$ZodTypes['_zod']['def'];

/** Dates, and numbers as long as a time stamp. */
const looksLikeTime = /\d{4}-\d{2}-\d{2}|\d{10,}/;
/** More readings than any clock with milliseconds stands still for. */
const readings = 100_000;

/**
 * Whether a default may be made anew each time. zod does not tell a function from a constant, so what differs between
 * two readings, or looks like a time, counts as such, and so does every `catch`.
 */
export function mayBeMadeAnew(def: Definition): boolean {
  if (def.type !== 'default' && def.type !== 'prefault') return def.type === 'catch';
  const value = JSON.stringify(def.defaultValue) ?? '';
  return value !== JSON.stringify(def.defaultValue) || looksLikeTime.test(value);
}

/** Whether a default certainly is made anew: two readings differ, at the latest when a clock has moved on. */
function isMadeAnew(def: Definition): boolean {
  if (def.type !== 'default' && def.type !== 'prefault') return false;
  const first = JSON.stringify(def.defaultValue) ?? '';
  const most = looksLikeTime.test(first) ? readings : 1;
  for (let i = 0; i < most; i++) {
    if ((JSON.stringify(def.defaultValue) ?? '') !== first) return true;
  }
  return false;
}

/** Whether a schema, or a part of it, has a default that is made anew each time. */
export function hasDefaultMadeAnew(schema: z.ZodType): boolean {
  let found = false;
  z.toJSONSchema(schema, {
    unrepresentable: 'any',
    io: 'input',
    override({ zodSchema }) {
      found ||= isMadeAnew(zodSchema._zod.def);
    },
  });
  return found;
}
