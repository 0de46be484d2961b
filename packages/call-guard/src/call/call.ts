import { type Effect, type EffectIn, type EffectKey, isInDoubt } from '@holdfast/effect-ledger';
import type { AnyToolEntry, EffectClass } from '@holdfast/tool-registry';
import type { FailureFacts } from '../failure.js';
import type { TimeLeft } from '../run/deadline.js';
import type { ActionDigest } from '../run/loop-guard.js';
import type { Run } from '../run/run.js';
import type { Edit } from './edit.js';
import type { CallHost, PresumedClass, TrimmedResult } from './host.js';
import type { CallRequest } from './request.js';

/** The contract of a call: a tool's entry, or the one of tools without an entry. */
export type Contract =
  | {
      readonly declared: true;
      readonly class: Exclude<EffectClass, 'undeclared'>;
      readonly entry: AnyToolEntry;
    }
  | { readonly declared: false; readonly class: 'undeclared' | PresumedClass };

/** Whether its tool is asked again on purpose, and keeps a distance in time instead of looping. */
export function isPolled(contract: Contract | undefined): boolean {
  return contract?.declared === true && contract.entry.pollingMs !== undefined;
}

export interface Resolved {
  readonly at: 'resolved';
  readonly request: CallRequest;
  readonly host: CallHost;
  readonly contract: Contract;
  /** What bounds the call. */
  readonly time: TimeLeft;
  /** Whether a call around this one is tried again as a whole. */
  readonly insideRetries: boolean;
  /** What the model asked for, as the loop guard tells it from other calls. */
  readonly action: ActionDigest;
}

/** What makes this call the wish that it is; for calls with effects only. */
export interface Wish {
  readonly scope: 'intent' | 'business';
  readonly identity: string;
  readonly keyGiven: boolean;
  readonly argsDigest: string;
  readonly wish: string;
  readonly ordinal: number;
  /** How many equal calls of the message stand before this one, where a person says what that means; else 0. */
  readonly repeats: number;
  readonly instance?: string;
}

/** What tells wishes apart among the calls under way in this process. */
export function flightKey(run: Run, wish: Wish): string {
  return JSON.stringify([
    run.tenant,
    wish.scope === 'intent' ? run.intentId : null,
    wish.wish,
    wish.ordinal,
  ]);
}

export interface Validated extends Omit<Resolved, 'at'> {
  readonly at: 'validated';
  /** After the schema's transforms. */
  readonly args: unknown;
  /** After repairs, before transforms. */
  readonly input: unknown;
  readonly repairs: readonly string[];
  /** What there is to know of it if it succeeds. */
  readonly warnings: readonly string[];
  readonly wish?: Wish | undefined;
  /** Where a person changed what the model asked for. */
  readonly edit?: Edit | undefined;
  /** What a person wants once more. */
  readonly again?: EffectKey | undefined;
  /** Digest of the arguments that a person gave and agreed to in this pass: they are not asked again. */
  readonly agreedTo?: string | undefined;
}

/** How a call that is not answered yet enters the ledger: as a new row, or as its own again. */
export type Entrance =
  | {
      readonly by: 'claim';
      /** What the ledger holds of the same wish: under way, or left so by a process that ended. */
      readonly open?: Effect;
    }
  | {
      readonly by: 're-entry';
      readonly effect: Effect;
      readonly why: 'retry' | 'resumed' | 'resend' | 'probe-absent';
    };

/** What earlier attempts of the call left behind, which a refusal now does not change. */
export function effectSoFar({ entrance }: { readonly entrance: Entrance }): 'none' | 'unknown' {
  const mayBe =
    entrance.by === 'claim'
      ? entrance.open?.state === 'attempting'
      : entrance.why !== 'probe-absent' && isInDoubt(entrance.effect);
  return mayBe ? 'unknown' : 'none';
}

export interface Recalled extends Omit<Validated, 'at'> {
  readonly at: 'recalled';
  readonly entrance: Entrance;
}

/** How long one try may take, and which clock says so. */
export interface TryTime {
  /** Milliseconds; absent where nothing limits the try. */
  readonly timeoutMs?: number | undefined;
  readonly timeoutLimit: 'tool' | 'run';
}

/** The right to one try. Given back on every path; only what is said first counts. */
export interface TryPermit {
  /**
   * What became of the try.
   *
   * @param tookMs how long it took, in milliseconds
   * @param nowMs its end, in monotonic milliseconds
   */
  end(outcome: Outcome, tookMs: number, nowMs: number): void;
  /** Nothing was tried. */
  release(): void;
}

export interface Admitted extends Omit<Recalled, 'at'>, TryTime {
  readonly at: 'admitted';
  /** For the first try. */
  readonly permit: TryPermit;
}

export interface Declared extends Omit<Admitted, 'at'> {
  readonly at: 'declared';
  /** The row, now `attempting` and ours; absent for reads and delegates. */
  readonly effect?: EffectIn<'attempting'>;
  readonly attemptId: string;
}

export type Outcome =
  | {
      readonly outcome: 'succeeded';
      readonly output: unknown;
      readonly trimmed?: TrimmedResult;
    }
  /** Known from a probe, or counted as done by the entry's policy; not known from our own attempt. */
  | {
      readonly outcome: 'confirmed';
      readonly by?: 'probe' | 'policy';
      readonly evidence: unknown;
      readonly result?: unknown;
      readonly trimmed?: TrimmedResult;
    }
  | { readonly outcome: 'failed' | 'unknown'; readonly failure: FailureFacts }
  /** The framework's control flow, to be thrown on. `inDoubt`: a try before it may have had the effect. */
  | { readonly outcome: 'suspended'; readonly thrown: unknown; readonly inDoubt?: true };

/** What became of a try that failed so. */
export function outcomeOfFailure(failure: FailureFacts): Outcome {
  return { outcome: failure.effect === 'unknown' ? 'unknown' : 'failed', failure };
}

export interface Attempted extends Omit<Declared, 'at'> {
  readonly at: 'attempted';
  readonly outcome: Outcome;
  readonly tries: number;
  readonly keyCarried: boolean;
}

export interface Settled extends Omit<Attempted, 'at'> {
  readonly at: 'settled';
}

/** The ways a call leaves the line early; `shape` takes them and the line's end alike. */
export type Stopped =
  | {
      readonly at: 'refused';
      readonly request: CallRequest;
      readonly host: CallHost;
      readonly contract?: Contract;
      readonly edit?: Edit;
      readonly failure: FailureFacts;
      readonly key?: EffectKey;
    }
  | {
      readonly at: 'folded';
      readonly request: CallRequest;
      readonly host: CallHost;
      readonly contract: Contract;
      readonly effect: EffectIn<'succeeded'>;
      /** The call's own result given again (`replayed`), or an equal call's (`folded`, `ahead`). */
      readonly how: 'replayed' | 'folded' | 'ahead';
      readonly edit?: Edit;
    }
  /** Waits for a person: `thrown` is the framework's control flow, to be thrown on. */
  | {
      readonly at: 'paused';
      readonly request: CallRequest;
      readonly host: CallHost;
      readonly contract: Contract;
      readonly thrown: unknown;
    };

/** Leaves the line with a failure. */
export function refuse(
  call: Pick<Resolved, 'request' | 'host'> & {
    readonly contract?: Contract;
    readonly edit?: Edit | undefined;
  },
  failure: FailureFacts,
  key?: EffectKey,
): Stopped {
  const { request, host, contract, edit } = call;
  // Field by field: to refuse is what an overload does most.
  const refused: { -readonly [F in keyof Refused]: Refused[F] } = {
    at: 'refused',
    request,
    host,
    failure,
  };
  if (contract !== undefined) refused.contract = contract;
  if (edit !== undefined) refused.edit = edit;
  if (key !== undefined) refused.key = key;
  return refused;
}

type Refused = Extract<Stopped, { at: 'refused' }>;

/** Leaves the line with an earlier result. */
export function fold(
  call: Pick<Resolved, 'request' | 'host' | 'contract'> & { readonly edit?: Edit | undefined },
  effect: EffectIn<'succeeded'>,
  how: 'replayed' | 'folded' | 'ahead',
  edit: Edit | undefined = call.edit,
): Stopped {
  return {
    at: 'folded',
    request: call.request,
    host: call.host,
    contract: call.contract,
    effect,
    how,
    ...(edit === undefined ? {} : { edit }),
  };
}
