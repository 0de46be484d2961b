import { randomUUID } from 'node:crypto';
import {
  type Claim,
  type Declaration,
  type Effect,
  type EffectIn,
  type EffectKey,
  isGone,
  isLedgerError,
  type LedgerStore,
  type Owner,
  ownerIdentity,
  type StoredResult,
} from '@holdfast/effect-ledger';
import { sha256 } from '@holdfast/tool-registry';
import { freeze } from '../call/frozen-arguments.js';
import { type Clock, createSystemClock } from '../clock.js';
import { createEmitter, type Emitter, type EventCounts } from '../events/emitter.js';
import type { EventSink, EventSubject } from '../events/event.js';
import { onAbort } from '../on-abort.js';
import { settling, type WorkEffect } from './work-end.js';

/** For how long a claim of work counts as alive without renewal, in milliseconds. */
const LEASE_MS = 30_000;

/** How often the work of another process is looked at again, in milliseconds. */
const POLL_MS = 50;

/** Work that somebody asks for under a key. */
export interface KeyedRequest {
  /** What the work is called in the ledger. */
  readonly tool: string;
  /** Who asks: the same key of somebody else is another one. */
  readonly caller?: string | undefined;
  readonly key: string;
  /** What is asked for, in JSON: the same key with something else is a conflict. */
  readonly asked: unknown;
  /** What a request does whose work is under way. */
  readonly whileUnderWay: 'wait' | 'tell';
}

/** What a request under a key finds. */
export type KeyedEnd<T> =
  | { readonly found: 'nothing'; readonly value: T }
  | { readonly found: 'done'; readonly key: EffectKey; readonly result: StoredResult }
  | { readonly found: 'under-way' }
  /** It may have been done: by a process that ended, or by work that could not tell. */
  | {
      readonly found: 'unknown';
      readonly key: EffectKey;
      readonly since: number;
      readonly reason: string;
    }
  | { readonly found: 'other-request'; readonly key: EffectKey; readonly argsDigest: string };

export interface KeyedWorkOptions {
  readonly ledger: LedgerStore;
  /** What this service is called: the keys of another one are others. */
  readonly service: string;
  /** Whose effects these are. Default: `default`. */
  readonly tenant?: string | undefined;
  /** The largest result that is kept, in bytes. */
  readonly keepsBytes: number;
  readonly clock?: Clock | undefined;
  readonly events?: readonly EventSink[] | undefined;
}

/**
 * Work that a service does once for each key it is given: written down before it begins and settled before
 * anybody is answered, so that neither a repetition nor a crash does it twice. The service's half of an
 * idempotency key; the caller's is the gate.
 */
export class KeyedWork {
  readonly clock: Clock;
  readonly #emitter: Emitter;
  readonly #owner: Owner;
  readonly #runId: string;
  /** What this process claims or does, by wish. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** Writes of what became of work that the ledger did not take. */
  readonly #unwritten = new Map<EffectKey, () => Promise<void>>();
  #stopRenewing: (() => void) | undefined;

  constructor(private readonly options: KeyedWorkOptions) {
    this.clock = options.clock ?? createSystemClock();
    this.#emitter = createEmitter(options.events ?? [], this.clock);
    const id = randomUUID();
    this.#owner = ownerIdentity(id);
    this.#runId = `service/${id}`;
  }

  /**
   * Does the work, unless it is known what became of it.
   *
   * @param work is given the key of the effect: what it asks of others under keys made from it is done once, too
   * @param signal ends the wait for an equal request, never the work itself
   * @throws LedgerError if the ledger cannot be used; then nothing was done
   * @throws what `work` throws; then its effect is unknown
   */
  async once<T>(
    request: KeyedRequest,
    work: (key: EffectKey) => Promise<WorkEffect & { readonly value: T }>,
    signal?: AbortSignal,
  ): Promise<KeyedEnd<T>> {
    const declaration = this.#declarationOf(request);
    const wish = JSON.stringify([declaration.tool, declaration.identity]);
    for (;;) {
      const own = this.#underWay.get(wish);
      if (own === undefined) {
        const trying = this.#claimAndWork(declaration, work);
        this.#underWay.set(wish, trying);
        const end = await trying.finally(() => this.#underWay.delete(wish));
        if (end !== 'elsewhere') return end;
      }
      if (request.whileUnderWay === 'tell') return { found: 'under-way' };
      const mayGoOn = own === undefined ? await this.#pause(signal) : await endOf(own, signal);
      if (!mayGoOn) return { found: 'under-way' };
    }
  }

  /** How often each event was told. */
  counts(): EventCounts {
    return this.#emitter.counts();
  }

  async #claimAndWork<T>(
    declaration: Declaration,
    work: (key: EffectKey) => Promise<WorkEffect & { readonly value: T }>,
  ): Promise<KeyedEnd<T> | 'elsewhere'> {
    const claim = await this.#claim(declaration);
    switch (claim.found) {
      case 'nothing':
      case 'failed':
        return { found: 'nothing', value: await this.#perform(claim.effect, work) };
      case 'done':
        this.#emitter.emit('effect_folded', subjectOf(claim.effect), { how: 'replayed' });
        return { found: 'done', key: claim.effect.key, result: claim.effect.result };
      case 'unknown': {
        const { key, since, reason } = claim.effect;
        return { found: 'unknown', key, since, reason };
      }
      case 'conflict': {
        const { key, argsDigest } = claim.effect;
        return { found: 'other-request', key, argsDigest };
      }
      // Of these only the first can be: the run is this process's own.
      case 'open':
      case 'held':
      case 'unseen':
      case 'stale-epoch':
        return 'elsewhere';
    }
  }

  async #claim(declaration: Declaration): Promise<Claim> {
    for (const write of [...this.#unwritten.values()]) await write();
    const claimant = { ...this.#claimant(), attemptId: randomUUID() };
    const claim = await this.options.ledger.claim(declaration, claimant);
    // What a process left open that is gone need not be waited for.
    const holder = claim.found === 'open' ? claim.lease?.holder : undefined;
    return holder !== undefined && isGone(holder)
      ? this.options.ledger.claim(declaration, { ...claimant, gone: holder.id })
      : claim;
  }

  async #perform<T>(
    effect: EffectIn<'attempting'>,
    work: (key: EffectKey) => Promise<WorkEffect & { readonly value: T }>,
  ): Promise<T> {
    const why = effect.attempts.length > 1 ? 'retry' : 'new';
    this.#emitter.emit('effect_declared', subjectOf(effect), {
      generation: effect.generation,
      why,
    });
    this.#renewWhileWorking();
    let end: WorkEffect & { readonly value: T };
    try {
      end = await work(effect.key);
    } catch (error) {
      await this.#settle(effect, { effect: 'unknown', why: String(error) });
      throw error;
    }
    await this.#settle(effect, end);
    return end.value;
  }

  /** Writes down what became of the work; where that fails, before the next claim. */
  async #settle(effect: EffectIn<'attempting'>, end: WorkEffect): Promise<void> {
    const now = this.clock.wallMs();
    const transition = settling(end, now, this.options.keepsBytes);
    const id = effect.attempts.at(-1)?.id ?? '';
    const attempt = { id, endedAt: now, ended: transition.to, tries: 1 };
    const write = async (): Promise<void> => {
      await this.options.ledger.submitEvidence(effect.key, attempt, transition);
      this.#unwritten.delete(effect.key);
      const told = { outcome: transition.to, by: 'attempt' };
      this.#emitter.emit('effect_settled', subjectOf(effect), told);
    };
    try {
      await write();
    } catch (error) {
      if (!isLedgerError(error)) throw error;
      this.#unwritten.set(effect.key, write);
      this.#emitter.emit('warning', subjectOf(effect), {
        code: 'settlement_delayed',
        message: `what became of a request could not be written down: ${error.message}`,
      });
    }
  }

  #declarationOf({ tool, caller, key, asked }: KeyedRequest): Declaration {
    const { service, tenant = 'default' } = this.options;
    return {
      tenant,
      runId: this.#runId,
      intentId: this.#runId,
      // A key is one for good, in whichever process's run it comes.
      scope: 'business',
      tool,
      toolVersion: '0.0.0',
      class: 'irreversible',
      identity: JSON.stringify(['service', service, caller ?? null, key]),
      keyGiven: true,
      argsDigest: sha256(freeze(asked)),
      ordinal: 0,
      frozenArgs: freeze(asked),
      place: {},
    };
  }

  #claimant(): { readonly owner: Owner; readonly leaseMs: number } {
    return { owner: this.#owner, leaseMs: LEASE_MS };
  }

  /** One lease for all that is under way, for as long as something is. */
  #renewWhileWorking(): void {
    this.#stopRenewing ??= this.clock.alarm(LEASE_MS / 3, false, () => {
      this.#stopRenewing = undefined;
      if (this.#underWay.size === 0) return;
      this.#renewWhileWorking();
      // If it fails, the work will read as unknown, which is the truth.
      this.options.ledger.renew(this.#runId, this.#claimant()).catch(() => {});
    });
  }

  async #pause(signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await this.clock.sleep(POLL_MS, signal);
      return true;
    } catch {
      return false;
    }
  }
}

/** Resolves when the work is over, however it ends; false if the signal was first. */
function endOf(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const letGo = onAbort(signal, () => resolve(false));
    const over = (): void => {
      letGo();
      resolve(true);
    };
    work.then(over, over);
  });
}

function subjectOf({ key, tool, tenant, runId, intentId }: Effect): EventSubject {
  return { idempotencyKey: key, tool, tenant, runId, intentId };
}
