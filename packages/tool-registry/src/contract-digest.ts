/** One digest for what a tool promises, to tell at a resume whether the promise is still the same. */
import { z } from 'zod';
import { canonicalJson, sha256 } from './canonical-json.js';
import { mayBeMadeAnew } from './made-anew.js';
import type { AnyToolEntry, EntryCompensation, EntryIdempotency } from './tool-entry.js';

/** Texts for readers; changing them changes no promise. */
const annotations = ['title', 'description', 'examples', 'deprecated'] as const;
/**
 * The JSON schema of an input or output as part of the contract: without texts for readers, without the order of
 * fields, and without defaults that are made anew each time, which would give each process another digest.
 *
 * @throws what zod throws for a schema that has no JSON schema at all
 */
export function contractSchema(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, {
    unrepresentable: 'any',
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      for (const annotation of annotations) delete jsonSchema[annotation];
      jsonSchema.required?.sort();
      if (mayBeMadeAnew(zodSchema._zod.def)) delete jsonSchema.default;
    },
  });
}

const sorted = (names: readonly string[] | undefined) => names && [...names].sort();

function contractKey(idempotency: EntryIdempotency) {
  if (idempotency.class === 'read' || idempotency.class === 'delegates') return {};
  const { key, repeat, onUnknown, onEdit, effectOnError } = idempotency;
  return {
    key: {
      ...key,
      identity: sorted(key.identity) ?? null,
      volatile: sorted(key.volatile),
      trim: sorted(key.trim),
      foldCase: sorted(key.foldCase),
      nfc: sorted(key.nfc),
    },
    repeat,
    onUnknown,
    onEdit,
    effectOnError,
    ...(idempotency.class === 'idempotent-write' && {
      sentAs: idempotency.sentAs,
      serverKeepsKeyForMs: idempotency.serverKeepsKeyForMs,
    }),
  };
}

function contractCompensation(compensation: EntryCompensation | undefined) {
  if (compensation === undefined) return null;
  if ('avoidBy' in compensation) return { tool: 'none', avoidBy: compensation.avoidBy };
  const { tool, strength, withinMs } = compensation;
  return { tool, strength, withinMs };
}

/**
 * What an entry promises. Texts, examples, latency, timeouts, polling and owner are no promise; of functions it counts
 * that there is one.
 */
export function contractOf(entry: Omit<AnyToolEntry, 'digest'>): Readonly<Record<string, unknown>> {
  return {
    name: entry.name,
    version: entry.version,
    class: entry.idempotency.class,
    ...contractKey(entry.idempotency),
    input: contractSchema(entry.input),
    output: entry.output === undefined ? null : contractSchema(entry.output),
    compensation: contractCompensation(entry.compensation),
    capture: entry.capture?.tool.name ?? null,
    probe: entry.probe?.tool.name ?? null,
    failureWhen: entry.failureWhen !== undefined,
    sideEffect: entry.sideEffect,
  };
}

/** SHA-256 over the canonical JSON of what an entry promises. */
export function contractDigest(entry: Omit<AnyToolEntry, 'digest'>): string {
  return sha256(canonicalJson(contractOf(entry)));
}
