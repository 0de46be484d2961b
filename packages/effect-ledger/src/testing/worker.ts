import type { Declaration, Effect, EffectKey, Owner, StoredResult } from '../effect.js';
import { ledgerSequence } from '../sequence.js';
import type {
  CheckpointStamp,
  Claim,
  Claimant,
  LedgerStore,
  Moved,
  WhatWasRead,
} from '../store.js';
import type { Transition } from '../transitions.js';

const encode = (text: string) => new TextEncoder().encode(text);

/** Where a declaration stands that names no place: each claim of it is then another call. */
const anywhere = { threadId: 'thread-1', messageId: 'message-1', position: 0, callId: 'call-1' };

/** A mail to a, as one call declares it, with the given changes. */
export function wish(change: Partial<Declaration> = {}): Declaration {
  const tool = change.tool ?? 'send_mail';
  return {
    tenant: 'acme',
    runId: 'run-1',
    intentId: 'intent-1',
    scope: 'intent',
    tool,
    toolVersion: '1',
    class: 'irreversible',
    identity: '{"to":"a"}',
    keyGiven: false,
    argsDigest: 'digest of a',
    ordinal: 0,
    instance: tool,
    frozenArgs: encode('arguments'),
    place: anywhere,
    ...change,
  };
}

export function owner(id: string): Owner {
  return { id, host: 'here', pid: 1, processStart: 'then' };
}

export function result(text = 'sent'): StoredResult {
  return { kept: true, type: 'text', bytes: encode(text), digest: `digest of ${text}` };
}

export function succeeded(text?: string): Extract<Transition, { to: 'succeeded' }> {
  return {
    to: 'succeeded',
    result: result(text),
    undo: { undo: 'none' },
    evidence: { by: 'attempt' },
  };
}

export function failed(): Extract<Transition, { to: 'failed' }> {
  return { to: 'failed', failureKind: 'business_error', evidence: { by: 'attempt' } };
}

export function unknown(since = 5): Extract<Transition, { to: 'unknown' }> {
  return { to: 'unknown', since, reason: 'timed out', evidence: { by: 'attempt' } };
}

export const suspended: Transition = { to: 'suspended' };

/** The number of what ends before anything else does, after so many beginnings. */
export function firstEndAfter(begun: number): number {
  return ledgerSequence(() => begun).nextEnd();
}

/** Claims and moves, and remembers the epoch that it was given in each run. */
export interface Worker {
  readonly owner: Owner;
  /** The attempt that its last claim or move began. */
  readonly attemptId: () => string;
  claimant(change?: Partial<Claimant>, runId?: string): Claimant;
  claim(
    declaration: Declaration,
    change?: Partial<Claimant> & { readonly read?: WhatWasRead },
    stamps?: readonly CheckpointStamp[],
  ): Promise<Claim>;
  /** Ends the attempt that the row is in, or moves the row on. */
  move(effect: Effect, transition: Transition): Promise<Moved>;
  /** Begins an attempt of a row that is there. */
  begin(
    effect: Effect,
    why: Extract<Transition, { to: 'attempting' }>['why'],
    change?: Partial<Claimant>,
  ): Promise<Moved>;
  /** Claims and moves in one go; the row as it is then. */
  doing(declaration: Declaration, transition: Transition): Promise<Effect>;
}

export const leaseMs = 30_000;

export function worker(ledger: LedgerStore, id: string): Worker {
  const me = owner(id);
  let attempts = 0;
  const epochs = new Map<string, number>();
  const attemptId = () => `${id}-${attempts}`;
  const claimant = (change: Partial<Claimant> = {}, runId = 'run-1'): Claimant => {
    const epoch = epochs.get(runId);
    return { owner: me, leaseMs, ...(epoch !== undefined && { epoch }), ...change };
  };
  const made: Worker = {
    owner: me,
    attemptId,
    claimant,
    async claim(declaration, change, stamps) {
      attempts++;
      const by = { ...claimant({}, declaration.runId), ...change, attemptId: attemptId() };
      const place =
        declaration.place === anywhere
          ? { ...anywhere, callId: `call-${attemptId()}` }
          : declaration.place;
      const claim = await ledger.claim({ ...declaration, place }, by, stamps);
      if ('epoch' in claim) epochs.set(declaration.runId, claim.epoch);
      return claim;
    },
    async move(effect, transition) {
      const { key, version } = effect;
      const id = effect.attempts.at(-1)?.id;
      return ledger.move(key, { version }, transition, {
        claimant: claimant({}, effect.runId),
        ...(id !== undefined && { attempt: { id } }),
      });
    },
    async begin(effect, why, change) {
      attempts++;
      const { key, version } = effect;
      const moved = await ledger.move(
        key,
        { version },
        { to: 'attempting', why, owner: me },
        { claimant: claimant(change, effect.runId), attempt: { id: attemptId() } },
      );
      if ('moved' in moved && moved.epoch !== undefined) epochs.set(effect.runId, moved.epoch);
      return moved;
    },
    async doing(declaration, transition) {
      const claim = await made.claim(declaration);
      if (claim.found !== 'nothing' && claim.found !== 'failed') {
        throw new Error(`${id} found ${claim.found}`);
      }
      return movedEffect(await made.move(claim.effect, transition));
    },
  };
  return made;
}

/** The row as it is after a move that must not have been refused. */
export function movedEffect(moved: Moved): Effect {
  if (!('moved' in moved)) throw new Error(`refused: ${moved.refused}`);
  return moved.moved;
}

export async function rowOf(ledger: LedgerStore, key: EffectKey): Promise<Effect> {
  const [row] = await ledger.find({ key });
  if (row === undefined) throw new Error(`no row ${key}`);
  return row;
}
