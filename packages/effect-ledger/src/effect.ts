import type { EffectClass } from '@holdfast/tool-registry';

/** One key, at most one effect. Made by {@link effectKey} only. */
export type EffectKey = string & { readonly __brand: 'EffectKey' };

/** The classes that are written down: reads and delegates have no row. */
export type WriteClass = Exclude<EffectClass, 'read' | 'delegates'>;

/** Where a call stood when it was made. Evidence, never identity. */
export interface Place {
  readonly threadId?: string;
  readonly checkpointNs?: string;
  readonly checkpointId?: string;
  readonly taskId?: string;
  readonly messageId?: string;
  /** Position of the call in its AI message, from 0. */
  readonly position?: number;
  readonly callId?: string;
  readonly step?: number;
}

/** Who is working on a run: one invocation of it, in one process. */
export interface Owner {
  /** Unique per invocation; a second invocation in the same process is another owner. */
  readonly id: string;
  /** The machine (boot and process namespace included): process ids mean something within it only. */
  readonly host: string;
  readonly pid: number;
  /** Tells a process from a later one that was given the same id. */
  readonly processStart: string;
}

/** One pass of the gate over an effect. Retries inside a pass are its `tries`. */
export interface Attempt {
  readonly id: string;
  /** Wall-clock milliseconds by the store's clock. */
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly ended?: 'succeeded' | 'failed' | 'unknown' | 'suspended';
  /** How often the tool was called in this pass. */
  readonly tries?: number;
  /** Whether the tool's code really sent the key; absent when the pass did not live to tell. */
  readonly keyCarried?: boolean;
}

/** Which part of which effect: a tool's code does its parts one by one, each under a name of its own. */
export interface Step {
  /** The effect of the call that the part belongs to. */
  readonly parent: EffectKey;
  /** Unique within the parent. */
  readonly name: string;
}

/** What is known of a call before its effect, and never changes afterwards. */
export interface Declaration {
  readonly tenant: string;
  readonly runId: string;
  readonly intentId: string;
  /** `intent`: the wish is one within its intent. `business`: across all of them. */
  readonly scope: 'intent' | 'business';
  readonly tool: string;
  readonly toolVersion: string;
  readonly class: WriteClass;
  /** Identity arguments in canonical form, or the key that the caller gave for this one call. */
  readonly identity: string;
  /** True when `identity` is a key that the caller gave: then other arguments are a conflict. */
  readonly keyGiven: boolean;
  /** Digest of the identity arguments, also when the caller gave a key. */
  readonly argsDigest: string;
  /** Position among equal calls of one AI message, from 0. */
  readonly ordinal: number;
  /**
   * Makes this a step inside a tool. It is met by its key alone, which is {@link stepKey}'s: `scope`,
   * `identity` and `ordinal` do not count, and it overwrites nothing by itself.
   */
  readonly step?: Step;
  /**
   * The effect that a person wants again although it is done, or may be: where it is what the wish meets,
   * it is not met, and a new generation follows. Not kept.
   */
  readonly againAfter?: EffectKey;
  /**
   * Whether an unknown outcome of a tool without an entry stops this call also where another run left it:
   * for callers whose runs do not tell one wish from another. Not kept.
   */
  readonly doubtIsShared?: boolean;
  /** Which thing is written to: two writes to one instance overwrite each other. Absent: none does. */
  readonly instance?: string;
  /** What was sent, needed to send it again. Deleted once the effect is settled. */
  readonly frozenArgs: Uint8Array;
  /** What `capture` read before the write. */
  readonly before?: Uint8Array;
  readonly place: Place;
}

/** What an effect's call gave, as it will be given again. */
export type StoredResult =
  | {
      readonly kept: true;
      readonly type: string;
      readonly bytes: Uint8Array;
      readonly digest: string;
    }
  | { readonly kept: false; readonly reason: string; readonly digest?: string };

/** How an effect would be taken back; computed in the commit that marks success. */
export type Undo =
  | { readonly undo: 'none' }
  | {
      readonly undo: 'ready';
      readonly tool: string;
      readonly args: Uint8Array;
      readonly strength: 'strong' | 'weak';
      /** Wall-clock milliseconds by the store's clock. */
      readonly validUntil: number;
    }
  | { readonly undo: 'invalid'; readonly reason: string };

/** What finally became of a success. `kept` is derived, never stored. */
export type Settlement =
  | { readonly settled: 'open' }
  | { readonly settled: 'compensating'; readonly by: EffectKey }
  | { readonly settled: 'compensated'; readonly by: EffectKey }
  | { readonly settled: 'manual'; readonly reason: string };

/** What cannot be true together cannot be written down. */
export type EffectState =
  | { readonly state: 'attempting'; readonly owner: Owner }
  | { readonly state: 'suspended'; readonly owner: Owner }
  | {
      readonly state: 'succeeded';
      readonly result: StoredResult;
      readonly undo: Undo;
      readonly settlement: Settlement;
    }
  | { readonly state: 'failed'; readonly failureKind: string }
  | { readonly state: 'unknown'; readonly since: number; readonly reason: string };

/** Where a move's knowledge comes from. */
export interface Evidence {
  readonly by:
    | 'attempt'
    | 'late-answer'
    | 'probe'
    | 'lease-expiry'
    | 'owner-gone'
    | 'undo'
    | 'person'
    /** The tool's entry says what an unknown outcome counts as. */
    | 'policy';
  readonly note?: string;
}

/**
 * A row of the ledger. `identity` is not kept, its digests are. A failed row that another claim attempts
 * again moves to the run, intent and place of that claim.
 */
export type Effect = Omit<Declaration, 'identity' | 'frozenArgs'> &
  EffectState & {
    readonly key: EffectKey;
    readonly generation: number;
    /**
     * Digest of tool and identity: equal wishes have equal digests, whatever their intent. A step's is
     * its key.
     */
    readonly wish: string;
    /** Absent once the effect is settled. */
    readonly frozenArgs?: Uint8Array;
    /** Grows by one with each move; what a move expects. */
    readonly version: number;
    /** Ledger sequence when it was last begun: at its declaration, or at a later move to `attempting`. */
    readonly startSeq: number;
    /**
     * Ledger sequence at the last move to `succeeded`, `failed` or `unknown`: a fraction more than the
     * number of the effect that was begun last.
     */
    readonly endSeq?: number;
    readonly attempts: readonly Attempt[];
  };

export type EffectIn<S extends EffectState['state']> = Extract<Effect, { state: S }>;
