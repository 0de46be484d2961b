import { type Effect, effectKey, type LedgerStore, memoryLedger } from '@holdfast/effect-ledger';
import { describe, expect, it } from 'vitest';
import { EffectView, type WishRef } from './effect-view.js';

let seq = 0;
function row(of: {
  readonly wish?: string;
  readonly intentId?: string;
  readonly generation?: number;
  readonly version?: number;
  readonly state?: 'succeeded' | 'failed' | 'unknown';
  readonly scope?: 'intent' | 'business';
  readonly callId?: string;
}): Effect {
  seq += 1;
  const { wish = 'w', intentId = 'i', generation = 0, version = 1, state = 'succeeded' } = of;
  const base = {
    tenant: 't',
    runId: 'r',
    intentId,
    scope: of.scope ?? 'intent',
    tool: 'x',
    toolVersion: '1.0.0',
    class: 'idempotent-write',
    keyGiven: false,
    argsDigest: wish,
    ordinal: 0,
    instance: 'thing',
    place: of.callId === undefined ? {} : { messageId: 'm', position: 0, callId: of.callId },
    key: effectKey({
      tenant: 't',
      intentId,
      scope: 'intent',
      tool: 'x',
      identity: wish,
      keyGiven: false,
      ordinal: 0,
      generation,
    }),
    generation,
    wish,
    version,
    startSeq: seq,
    attempts: [],
  } as const;
  switch (state) {
    case 'succeeded':
      return {
        ...base,
        state,
        result: { kept: false, reason: 'x' },
        undo: { undo: 'none' },
        settlement: { settled: 'open' },
      };
    case 'failed':
      return { ...base, state, failureKind: 'x' };
    case 'unknown':
      return { ...base, state, since: 0, reason: 'x' };
  }
}

const ref: WishRef = { wish: 'w', scope: 'intent', ordinal: 0 };
const view = (find: LedgerStore['find'] = async () => [], threadId?: string) =>
  new EffectView(
    { ...memoryLedger(), find },
    { tenant: 't', intentId: 'i', ...(threadId === undefined ? {} : { threadId }) },
  );

describe('what a run knows of effects', () => {
  it('is read once, and again only when that failed', async () => {
    let reads = 0;
    const loaded = view(async () => {
      reads += 1;
      if (reads === 1) throw new Error('away');
      return [row({})];
    });
    await expect(loaded.load()).rejects.toThrow('away');
    await Promise.all([loaded.load(), loaded.load()]);
    expect(reads).toBe(2);
    expect(loaded.all().map(({ inherited }) => inherited)).toEqual([true]);
  });

  it('asks for the thread only where there is one', async () => {
    const queries: unknown[] = [];
    const find: LedgerStore['find'] = async (query) => {
      queries.push(query);
      return [];
    };
    await view(find).load();
    await view(find, 'th').load();
    expect(queries).toEqual([
      { tenant: 't', intentId: 'i' },
      { tenant: 't', intentId: 'i' },
      { tenant: 't', threadId: 'th', unfinished: true },
    ]);
  });

  it('is never replaced by what is older', () => {
    const known = view();
    known.learn(row({ version: 2, state: 'succeeded' }));
    known.learn(row({ version: 1, state: 'unknown' }));
    expect(known.all().map(({ effect }) => effect.state)).toEqual(['succeeded']);
  });

  it('of a wish is its latest generation', () => {
    const known = view();
    known.learn(row({ generation: 1 }));
    known.learn(row({ generation: 0 }));
    expect(known.standing(ref).latest?.generation).toBe(1);
    expect(known.standing({ ...ref, ordinal: 1 }).latest).toBeUndefined();
    expect(known.standing({ ...ref, wish: 'v' }).latest).toBeUndefined();
  });

  it('is overwritten by another write to the same thing that came later and did not fail', () => {
    const known = view();
    known.learn(row({ wish: 'before' }));
    known.learn(row({}));
    expect(known.standing(ref).overwritten).toBe(false);
    known.learn(row({ wish: 'failed', state: 'failed' }));
    expect(known.standing(ref).overwritten).toBe(false);
    known.learn(row({ wish: 'after', state: 'unknown' }));
    expect(known.standing(ref).overwritten).toBe(true);
  });

  it('tells what belongs to other intents: unfinished rows, and successes of before', async () => {
    const rows = [
      row({ intentId: 'other', state: 'unknown', generation: 1 }),
      row({ intentId: 'other', state: 'succeeded' }),
    ];
    const known = view(async (query) => ('threadId' in query ? rows : []), 'th');
    await known.load();
    const { latest, elsewhere } = known.standing(ref);
    expect(latest).toBeUndefined();
    expect(elsewhere).toEqual([rows[0]]);
    expect(known.doneElsewhere(ref).map(({ effect }) => effect)).toEqual([rows[1]]);
    known.learn(row({ intentId: 'third', state: 'succeeded' }));
    expect(known.doneElsewhere(ref).length).toBe(1);
  });

  it('tells its own rows from those that other invocations of the intent make meanwhile', () => {
    const known = view();
    known.declared(row({ wish: 'own' }));
    known.learn(row({ wish: 'own', version: 2, state: 'succeeded' }));
    known.learn(row({ wish: 'theirs' }));
    known.declared(row({ wish: 'theirs', version: 2 }));
    expect(known.all().map(({ effect, inherited }) => [effect.wish, inherited])).toEqual([
      ['own', false],
      ['theirs', true],
    ]);
  });

  it('of a business wish is here whatever its intent', () => {
    const known = view();
    known.learn(row({ intentId: 'other', scope: 'business' }));
    expect(known.standing(ref).latest).toBeUndefined();
    expect(known.standing({ ...ref, scope: 'business' }).latest?.intentId).toBe('other');
  });

  it('is found by place, call id included', () => {
    const known = view();
    const effect = row({ callId: 'c1' });
    known.learn(effect);
    const place = { messageId: 'm', position: 0, callId: 'c1' };
    expect(known.atPlace('x', place)?.effect).toBe(effect);
    expect(known.atPlace('y', place)).toBeUndefined();
    expect(known.atPlace('x', { ...place, position: 1 })).toBeUndefined();
    expect(known.atPlace('x', { ...place, callId: 'c2' })).toBeUndefined();
    expect(known.atPlace('x', { messageId: 'm', position: 0 })).toBeUndefined();
  });
});
