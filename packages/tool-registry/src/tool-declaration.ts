/** What a team writes about a tool: the input of `defineTool`, typed from the tool's own schemas. */
import type { z } from 'zod';
import type { Duration } from './duration.js';
import type {
  AnyToolEntry,
  EntryCapture,
  EntryProbe,
  Latency,
  ModelInput,
  NoCompensation,
  OutputOf,
  ProbeAnswer,
  ResultFailure,
  SideEffect,
} from './tool-entry.js';

type Key<A> = keyof A & string;

/** How a call's idempotency key is made. Every list names arguments of the tool's input. */
export interface KeyRecipe<A> {
  /** `intent` (default): one effect per wish. `business`: one effect per identity, across all runs. */
  scope?: 'intent' | 'business';
  /** The arguments that make two calls the same wish. Default: all. */
  identity?: readonly Key<A>[];
  /** Arguments to leave out; nothing is ever left out unnamed. Default: none. */
  volatile?: readonly Key<A>[];
  /** Arguments whose surrounding white space does not count. Default: none. */
  trim?: readonly Key<A>[];
  /** Arguments whose case does not count. Default: none. */
  foldCase?: readonly Key<A>[];
  /** Arguments compared in Unicode normalization form C. Default: none. */
  nfc?: readonly Key<A>[];
}

/**
 * How the key reaches the server. An `argument` is filled in by the guard and hidden from the model; `meta`
 * is the name under which an MCP server looks for it in `_meta`.
 */
export type KeyCarrier<A, S extends string = string> =
  | { header: string }
  | { meta: string }
  | { argument: S & Key<A> };

/** Changes nothing, may be repeated at will. */
export interface Read {
  class: 'read';
}
/** Runs other guarded calls and has no effect of its own (a sub-agent, a subgraph). */
export interface Delegates {
  class: 'delegates';
}
interface Write<A> {
  key?: KeyRecipe<A>;
  /** Two equal calls in one message are one wish (`collapse`, default), two (`deliberate`), or a person says (`ask`). */
  repeat?: 'collapse' | 'deliberate' | 'ask';
  /**
   * What becomes of an effect whose outcome stays unknown: a person gets it (`hand-off`, default), or it counts as
   * done (`assume-done`), where doing it twice is worse than not at all.
   */
  onUnknown?: 'hand-off' | 'assume-done';
  /** The same wish with other arguments is a `conflict` (default) or a `new-effect`. */
  onEdit?: 'conflict' | 'new-effect';
  /** What an error of the tool says about its effect. Default: `unknown`. */
  effectOnError?: 'none' | 'unknown';
}
/** A write whose server recognizes a repeated key and does nothing twice. */
export interface IdempotentWrite<A, S extends string = string> extends Write<A> {
  class: 'idempotent-write';
  sentAs: KeyCarrier<A, S>;
  /** How long the server recognizes the key; at least 1 ms. */
  serverKeepsKeyFor: Duration;
}
/** A write that happens again when it is sent again. */
export interface Irreversible<A> extends Write<A> {
  class: 'irreversible';
}
export type Idempotency<A, S extends string = string> =
  | Read
  | Delegates
  | IdempotentWrite<A, S>
  | Irreversible<A>;

/** A read that takes the state before the write; its result is `before` in the compensation's mapping. */
export interface Capture<A, C extends AnyToolEntry> {
  tool: C;
  args(effect: { args: A }): z.input<C['input']>;
}

/** Names its tool (pairs undo each other); `defineRegistry` checks that it exists and takes what `args` returns. */
export interface CompensateWith<A, R, B, K extends string, M> {
  tool: K;
  strength: 'strong' | 'weak';
  /** How long after the effect it can be undone; at least 1 ms. */
  within: Duration;
  args(effect: { args: A; result: R; before: B }): M;
}

/** A registered read that can tell whether an effect took place, given as its entry so that all is typed. */
export interface Probe<A, R, P extends AnyToolEntry> {
  tool: P;
  args(effect: { args: A; idempotencyKey: string; startedAt: Date }): z.input<P['input']>;
  answer(result: OutputOf<P>): ProbeAnswer<R>;
  /** How long after its start a request may still take effect. */
  inFlightHorizon?: Duration;
  /** How long the read may take, 1 ms to 5 min. */
  timeout?: Duration;
}

/** How a tool's ordinary results are read. */
interface ResultRules<R> {
  /** Recognizes a failure that comes as an ordinary result (`{ ok: false }`, a rate limit in a 200). */
  failureWhen?(result: R): ResultFailure | undefined;
  /**
   * How much of a result a model is given, in bytes of JSON: 4 096 to 67 108 864. What is longer is cut by its
   * structure. Default: all of it; in `mcp-guard` what `--max-result` says.
   */
  maxBytes?: number;
  /**
   * Fields of a JSON result that are kept before others when it is cut, by name, inner ones as
   * `order.status`; a name counts in each element of a list. Default: none.
   */
  keep?: readonly string[];
  /**
   * Fields of a JSON result that are kept nowhere (a key that is shown once, say), named as in `keep`. Who makes
   * the call is given them; an equal call is given `[redacted]` in their place. Default: none.
   */
  redact?: readonly string[];
}

/** A call worth showing to the model. */
interface Example<A> {
  args: A;
  /** What the example is for. */
  note?: string;
}

export interface ArgumentRule {
  /** Never repaired: what the model sent is right as it is, or refused. Default: false. */
  exact?: boolean;
}

interface Declared {
  /** `x.y.z`. Default: `1.0.0`. */
  version?: string;
  summary: string;
  /** When the model should choose this tool. */
  useWhen?: string;
  /** When it should not, and what to do instead. */
  avoidWhen?: string;
  latency?: Latency;
  /**
   * How long one attempt may take (`total`), how long until its first byte and how long it may be silent between two;
   * each 1 ms to 24 h, the latter two not above the first.
   */
  timeouts?: { firstByte?: Duration; idle?: Duration; total?: Duration };
  /** Only of a read: it is asked again and again on purpose, at this interval or a longer one; at least 100 ms. */
  polling?: Duration;
  /** The downstream whose limits this tool shares. */
  resourceGroup: string;
  /** Default: `none` for `read` and `delegates`, `external` for writes. */
  sideEffect?: SideEffect;
  /** Who is told when automation must stop. */
  owner: string;
}

/** What is `before` in a compensation's mapping: the captured read's result. */
type Before<C> = [C] extends [never] ? undefined : OutputOf<C>;

export interface ToolDeclaration<
  N extends string,
  I extends z.ZodType,
  O extends z.ZodType,
  C extends AnyToolEntry,
  P extends AnyToolEntry,
  K extends string,
  M,
  S extends string,
> extends Declared {
  /** 1 to 64 of `a-z A-Z 0-9 _ -`, which every model provider accepts. */
  name: N;
  input: I;
  output?: O;
  idempotency: Idempotency<z.output<I>, S>;
  capture?: Capture<z.output<I>, C>;
  compensation?: CompensateWith<z.output<I>, z.output<O>, Before<C>, K, M> | NoCompensation;
  probe?: Probe<z.output<I>, z.output<O>, P>;
  result?: ResultRules<z.output<O>>;
  /** Each parses with what the model fills in: `input` without the argument that carries the key. */
  examples?: readonly Example<z.input<ModelInput<I, S>>>[];
  arguments?: { [A in Key<z.output<I>>]?: ArgumentRule };
  /** The argument that names the instance on which calls wait for each other. */
  serialBy?: Key<z.output<I>>;
}

/** Any declaration: the tool's own types erased. */
export interface AnyToolDeclaration extends Declared {
  name: string;
  input: z.ZodType;
  output?: z.ZodType;
  idempotency: Idempotency<Record<string, unknown>>;
  capture?: EntryCapture;
  compensation?: CompensateWith<unknown, unknown, unknown, string, unknown> | NoCompensation;
  probe?: Omit<EntryProbe, 'inFlightHorizonMs' | 'timeoutMs'> & {
    inFlightHorizon?: Duration;
    timeout?: Duration;
  };
  result?: ResultRules<unknown>;
  examples?: readonly Example<unknown>[];
  arguments?: Record<string, ArgumentRule | undefined>;
  serialBy?: string;
}
