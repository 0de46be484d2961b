import type { z } from 'zod';
import { contractDigest } from './contract-digest.js';
import { problemsOfDeclaration } from './declaration/check-declaration.js';
import { type Duration, toMilliseconds } from './duration.js';
import { brandEntry } from './entry-brand.js';
import { withoutArgument } from './input-schema.js';
import { refuse } from './setup-error.js';
import type { AnyToolDeclaration, Idempotency, ToolDeclaration } from './tool-declaration.js';
import type {
  AnyToolEntry,
  EntryCarrier,
  EntryCompensation,
  EntryExample,
  EntryIdempotency,
  EntryKey,
  EntryProbe,
  EntryResultCap,
  ToolEntry,
} from './tool-entry.js';

type AnyIdempotency = Idempotency<Record<string, unknown>>;
type AnyWrite = Exclude<AnyIdempotency, { class: 'read' | 'delegates' }>;
type Given<F extends keyof AnyToolDeclaration> = NonNullable<AnyToolDeclaration[F]>;

const names = (given: readonly string[] = []) => Object.freeze([...given]);

function entryKey({ key = {} }: AnyWrite): EntryKey {
  return Object.freeze({
    scope: key.scope ?? 'intent',
    ...(key.identity !== undefined && { identity: names(key.identity) }),
    volatile: names(key.volatile),
    trim: names(key.trim),
    foldCase: names(key.foldCase),
    nfc: names(key.nfc),
  });
}

function entryCarrier(carrier: EntryCarrier): EntryCarrier {
  if ('header' in carrier) return Object.freeze({ header: carrier.header });
  if ('meta' in carrier) return Object.freeze({ meta: carrier.meta });
  return Object.freeze({ argument: carrier.argument });
}

function entryIdempotency(declared: AnyIdempotency, tool: string): EntryIdempotency {
  if (declared.class === 'read' || declared.class === 'delegates') {
    return Object.freeze({ class: declared.class });
  }
  const write = {
    key: entryKey(declared),
    repeat: declared.repeat ?? 'collapse',
    onUnknown: declared.onUnknown ?? 'hand-off',
    onEdit: declared.onEdit ?? 'conflict',
    effectOnError: declared.effectOnError ?? 'unknown',
  } as const;
  if (declared.class === 'irreversible') return Object.freeze({ class: declared.class, ...write });
  return Object.freeze({
    class: declared.class,
    ...write,
    sentAs: entryCarrier(declared.sentAs),
    serverKeepsKeyForMs: toMilliseconds(
      declared.serverKeepsKeyFor,
      `tools.${tool}.idempotency.serverKeepsKeyFor`,
    ),
  });
}

function entryCompensation(declared: Given<'compensation'>, tool: string): EntryCompensation {
  if ('avoidBy' in declared) return Object.freeze({ ...declared });
  return Object.freeze({
    tool: declared.tool,
    strength: declared.strength,
    withinMs: toMilliseconds(declared.within, `tools.${tool}.compensation.within`),
    args: declared.args,
  });
}

function entryProbe(declared: Given<'probe'>, tool: string): EntryProbe {
  const { inFlightHorizon, timeout } = declared;
  return Object.freeze({
    tool: declared.tool,
    args: declared.args,
    answer: declared.answer,
    ...(inFlightHorizon !== undefined && {
      inFlightHorizonMs: toMilliseconds(inFlightHorizon, `tools.${tool}.probe.inFlightHorizon`),
    }),
    ...(timeout !== undefined && {
      timeoutMs: toMilliseconds(timeout, `tools.${tool}.probe.timeout`),
    }),
  });
}

function entryTimeouts(declared: Given<'timeouts'>, tool: string) {
  const { firstByte, idle, total } = declared;
  const ms = (duration: Duration, name: string) =>
    toMilliseconds(duration, `tools.${tool}.timeouts.${name}`);
  return {
    ...(total !== undefined && { timeoutMs: ms(total, 'total') }),
    timeouts: Object.freeze({
      ...(firstByte !== undefined && { firstByteMs: ms(firstByte, 'firstByte') }),
      ...(idle !== undefined && { idleMs: ms(idle, 'idle') }),
    }),
  };
}

function entryExamples(declared: Given<'examples'>): readonly EntryExample[] {
  return Object.freeze(
    declared.map(({ args, note }) => Object.freeze({ args, ...(note !== undefined && { note }) })),
  );
}

function modelInput(input: z.ZodType, idempotency: EntryIdempotency): z.ZodType {
  if (idempotency.class !== 'idempotent-write' || !('argument' in idempotency.sentAs)) return input;
  // The declaration's check has proven that the argument can be taken out.
  return withoutArgument(input, idempotency.sentAs.argument) ?? input;
}

function entryResultCap({ maxBytes, keep }: Given<'result'> = {}): EntryResultCap {
  return Object.freeze({ ...(maxBytes !== undefined && { maxBytes }), keep: names(keep) });
}

function exactArguments(rules: Given<'arguments'> = {}): ReadonlySet<string> {
  return new Set(Object.keys(rules).filter((name) => rules[name]?.exact === true));
}

function entryOf(declared: AnyToolDeclaration): Omit<AnyToolEntry, 'digest'> {
  const { name, output, capture, compensation, probe, latency, polling, serialBy } = declared;
  const { useWhen, avoidWhen } = declared;
  const failureWhen = declared.result?.failureWhen;
  const idempotency = entryIdempotency(declared.idempotency, name);
  const silent = idempotency.class === 'read' || idempotency.class === 'delegates';
  return {
    name,
    version: declared.version ?? '1.0.0',
    summary: declared.summary,
    ...(useWhen !== undefined && { useWhen }),
    ...(avoidWhen !== undefined && { avoidWhen }),
    examples: entryExamples(declared.examples ?? []),
    input: declared.input,
    ...(output !== undefined && { output }),
    modelInput: modelInput(declared.input, idempotency),
    idempotency,
    ...(capture !== undefined && {
      capture: Object.freeze({ tool: capture.tool, args: capture.args }),
    }),
    ...(compensation !== undefined && { compensation: entryCompensation(compensation, name) }),
    ...(probe !== undefined && { probe: entryProbe(probe, name) }),
    ...(failureWhen !== undefined && { failureWhen }),
    resultCap: entryResultCap(declared.result),
    redactedResult: names(declared.result?.redact),
    exactArguments: exactArguments(declared.arguments),
    ...(latency !== undefined && { latency: Object.freeze({ ...latency }) }),
    ...entryTimeouts(declared.timeouts ?? {}, name),
    ...(polling !== undefined && { pollingMs: toMilliseconds(polling, `tools.${name}.polling`) }),
    resourceGroup: declared.resourceGroup,
    ...(serialBy !== undefined && { serialBy }),
    sideEffect: declared.sideEffect ?? (silent ? 'none' : 'external'),
    owner: declared.owner,
  };
}

/**
 * One tool's entry: what it promises, checked, with every default filled in, durations in milliseconds, frozen.
 * Arguments, results, captured state and the probe's answer are typed from the schemas.
 *
 * @throws SetupError `registry_invalid` with every problem of the declaration at once
 * @example
 * const sendMail = defineTool({
 *   name: 'send_mail', summary: 'Send one e-mail to a customer.',
 *   input: z.object({ to: z.email(), subject: z.string(), body: z.string() }),
 *   idempotency: { class: 'irreversible', key: { identity: ['to', 'subject'] } },
 *   compensation: { tool: 'none', avoidBy: 'place-last', reason: 'a mail cannot be unsent' },
 *   resourceGroup: 'mail', owner: 'crm@team',
 * })
 */
export function defineTool<
  const N extends string,
  I extends z.ZodType,
  O extends z.ZodType = z.ZodUnknown,
  C extends AnyToolEntry = never,
  P extends AnyToolEntry = never,
  const K extends string = never,
  const M = never,
  const S extends string = never,
>(declaration: ToolDeclaration<N, I, O, C, P, K, M, S>): ToolEntry<N, I, O, K, M, S>;
export function defineTool(declaration: AnyToolDeclaration): AnyToolEntry {
  refuse(problemsOfDeclaration(declaration));
  const entry = entryOf(declaration);
  return brandEntry({ ...entry, digest: contractDigest(entry) });
}
