/** What a registered tool promises, as every other package reads it: normalized, complete and frozen. */
import type { z } from 'zod';

export type SideEffect = 'none' | 'internal' | 'external';

/** Which calls count as the same wish, with every default filled in. */
export interface EntryKey {
  readonly scope: 'intent' | 'business';
  /** The arguments that make the identity; absent means all of them except the volatile ones. */
  readonly identity?: readonly string[];
  readonly volatile: readonly string[];
  readonly trim: readonly string[];
  readonly foldCase: readonly string[];
  readonly nfc: readonly string[];
}

/**
 * Where the idempotency key travels: in a request header, in an argument that the model never sees, or in
 * the `_meta` of an MCP call.
 */
export type EntryCarrier =
  | { readonly header: string }
  | { readonly argument: string }
  | { readonly meta: string };

interface EntryWrite {
  readonly key: EntryKey;
  /** Two equal calls in one message: one wish, two, or as a person says. */
  readonly repeat: 'collapse' | 'deliberate' | 'ask';
  /** An effect whose outcome stays unknown is handed to a person, or counts as done. */
  readonly onUnknown: 'hand-off' | 'assume-done';
  /** The same wish with other arguments: a conflict to settle, or a new effect. */
  readonly onEdit: 'conflict' | 'new-effect';
  /** What an error of the tool says about its effect. */
  readonly effectOnError: 'none' | 'unknown';
}
export interface EntryIdempotentWrite extends EntryWrite {
  readonly class: 'idempotent-write';
  readonly sentAs: EntryCarrier;
  /** How long the server recognizes the key, in milliseconds. */
  readonly serverKeepsKeyForMs: number;
}
export interface EntryIrreversible extends EntryWrite {
  readonly class: 'irreversible';
}
export type EntryIdempotency =
  | { readonly class: 'read' }
  | { readonly class: 'delegates' }
  | EntryIdempotentWrite
  | EntryIrreversible;

/** The effect classes; `undeclared` is a tool without an entry. */
export type EffectClass = EntryIdempotency['class'] | 'undeclared';

/** A read that takes the state before the write. */
export interface EntryCapture {
  readonly tool: AnyToolEntry;
  args(effect: { args: unknown }): unknown;
}

/** A forward action of another tool (or of the same one) that undoes this one. */
export interface EntryUndo<K extends string = string, M = unknown> {
  readonly tool: K;
  readonly strength: 'strong' | 'weak';
  /** How long after the effect it can be undone, in milliseconds. */
  readonly withinMs: number;
  /** `before` is what `capture` read, undefined without a capture. */
  args(effect: { args: unknown; result: unknown; before: unknown }): M;
}
export interface NoCompensation {
  readonly tool: 'none';
  /** The call comes last in its message, is accepted as it is, or waits until a person has approved it. */
  readonly avoidBy: 'place-last' | 'accept' | 'confirm';
  readonly reason: string;
}
/** Tell the two apart by `'avoidBy' in compensation`. */
export type EntryCompensation<K extends string = string, M = unknown> =
  | EntryUndo<K, M>
  | NoCompensation;

/** What the other side says about an effect whose outcome is unknown. */
export type ProbeAnswer<R = unknown> =
  | { found: 'one'; evidence: unknown; result?: R }
  /** It took place more than once. */
  | { found: 'many'; evidence: unknown }
  /** The other side is still working on it. */
  | { found: 'pending'; asOf?: Date }
  | { found: 'absent'; authoritative: boolean; asOf: Date };

/** A failure that came as an ordinary result. `effect` is what it says about the call's effect. */
export type ResultFailure =
  | { kind: 'business_error'; code?: string; message?: string; effect?: 'none' | 'unknown' }
  | { kind: 'rate_limited'; retryAfterMs?: number }
  | { kind: 'dependency_failed'; message?: string; effect?: 'none' | 'unknown' };

/** How a result that is too long is cut. */
export interface EntryResultCap {
  /** How much of it a model is given, in bytes of JSON; absent where the entry sets no limit. */
  readonly maxBytes?: number;
  /** Fields that are kept before others, inner ones as `order.status`. */
  readonly keep: readonly string[];
}

/** A read that asks the other side whether an effect took place. */
export interface EntryProbe {
  readonly tool: AnyToolEntry;
  args(effect: { args: unknown; idempotencyKey: string; startedAt: Date }): unknown;
  answer(result: unknown): ProbeAnswer;
  /** How long after its start a request may still take effect, in milliseconds. */
  readonly inFlightHorizonMs?: number;
  /** How long the read may take, in milliseconds. */
  readonly timeoutMs?: number;
}

/** A call worth showing to the model; `args` are as the model gives them. */
export interface EntryExample {
  readonly args: unknown;
  readonly note?: string;
}

/** Latency percentiles in milliseconds, as measured on `measuredAt` (an ISO date). */
export interface Measured {
  p50: number;
  p95: number;
  p99: number;
  samples: number;
  measuredAt: string;
}
export type Latency =
  | ({ readonly kind: 'measured' } & Readonly<Measured>)
  | { readonly kind: 'assumed'; readonly ceilingMs: number };

/** Any entry: what a collection holds, its callbacks' parameter types erased. */
export interface AnyToolEntry {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  readonly useWhen?: string;
  readonly avoidWhen?: string;
  readonly examples: readonly EntryExample[];
  readonly input: z.ZodType;
  readonly output?: z.ZodType;
  /** What the model fills in: `input` without the argument that carries the idempotency key. */
  readonly modelInput: z.ZodType;
  readonly idempotency: EntryIdempotency;
  readonly capture?: EntryCapture;
  readonly compensation?: EntryCompensation;
  readonly probe?: EntryProbe;
  /** Recognizes a failure that came as an ordinary result. */
  failureWhen?(result: unknown): ResultFailure | undefined;
  /** What of a result a model is given. */
  readonly resultCap: EntryResultCap;
  /** Fields of a result that are kept nowhere, inner ones as `order.status`. */
  readonly redactedResult: readonly string[];
  /** Arguments that are never repaired. */
  readonly exactArguments: ReadonlySet<string>;
  readonly latency?: Latency;
  /** The declared `timeouts.total`; see `attemptTimeoutMs`. */
  readonly timeoutMs?: number;
  /** How long until the first byte of an attempt's answer, and between two, in milliseconds. */
  readonly timeouts: { readonly firstByteMs?: number; readonly idleMs?: number };
  /** A read that is asked again and again on purpose, at this interval or a longer one, in milliseconds. */
  readonly pollingMs?: number;
  readonly resourceGroup: string;
  readonly serialBy?: string;
  readonly sideEffect: SideEffect;
  readonly owner: string;
  /** SHA-256 of the contract: equal digests promise the same. */
  readonly digest: string;
}

/** `input` without the carrier argument `S`, which the guard fills in. */
export type ModelInput<I extends z.ZodType, S extends string> = [S] extends [never]
  ? I
  : z.ZodType<Omit<z.output<I>, S>, Omit<z.input<I>, S>>;

/**
 * One tool's entry with its own types: name, input, output, the compensating tool's name `K` with what the mapping
 * gives it (`M`), and the carrier argument `S`; the last three are `never` where the tool has none.
 */
export interface ToolEntry<
  N extends string = string,
  I extends z.ZodType = z.ZodType,
  O extends z.ZodType = z.ZodType,
  K extends string = never,
  M = never,
  S extends string = never,
> extends AnyToolEntry {
  readonly name: N;
  readonly input: I;
  readonly output?: O;
  readonly modelInput: ModelInput<I, S>;
  readonly compensation?: EntryCompensation<K, M>;
}

/** The arguments of an entry after parsing. */
export type Args<T extends { readonly input: z.ZodType }> = z.output<T['input']>;
/** What an entry's output schema gives; `unknown` without one. */
export type OutputOf<T> = T extends { readonly output?: infer O }
  ? NonNullable<O> extends z.ZodType
    ? z.output<NonNullable<O>>
    : unknown
  : unknown;
/** The result of an entry; `unknown` without an output schema. */
export type Result<T> = OutputOf<T>;
