import { describe, expect, it } from 'vitest';
import type { Effect, EffectState, Place, Settlement, WriteClass } from './effect.js';
import { effectKey, wishDigest } from './effect-key.js';
import { meet, type Standing } from './meeting.js';
import { owner, result, wish } from './testing/worker.js';

const row = (state: EffectState, change: Partial<ReturnType<typeof wish>> = {}): Effect => {
  const { identity, ...declaration } = wish(change);
  return {
    ...declaration,
    ...state,
    key: effectKey({ ...wish(change), generation: 4 }),
    wish: wishDigest(wish(change)),
    generation: 4,
    version: 1,
    startSeq: 1,
    attempts: [],
  };
};
const attempting = { state: 'attempting', owner: owner('ada') } as const;
const suspended = { state: 'suspended', owner: owner('ada') } as const;
const failed = { state: 'failed', failureKind: 'business_error' } as const;
const unknown = { state: 'unknown', since: 1, reason: 'timed out' } as const;
const succeeded = (settlement: Settlement = { settled: 'open' }) =>
  ({ state: 'succeeded', result: result(), undo: { undo: 'none' }, settlement }) as const;
const by = row(attempting).key;

const standing = (latest?: Effect, more: Partial<Standing> = {}): Standing => ({
  latest,
  overwritten: false,
  elsewhere: [],
  ...more,
});
/** Another call than the one that made the row. */
const call = (change: Partial<ReturnType<typeof wish>> = {}) =>
  wish({ place: { ...wish().place, callId: 'call-2' }, ...change });
const classes: readonly WriteClass[] = ['irreversible', 'idempotent-write', 'undeclared'];

describe('what a call meets', () => {
  it.each(classes)('of a first wish, %s: nothing', (name) => {
    expect(meet(call({ class: name }), standing())).toEqual({ meets: 'nothing', generation: 0 });
  });

  it.each(classes)('while one is open, %s: the open one', (name) => {
    for (const state of [attempting, suspended]) {
      const effect = row(state, { runId: 'another' });
      expect(meet(call({ class: name }), standing(effect))).toEqual({ meets: 'open', effect });
    }
  });

  it.each(classes)('after a certain failure, %s: the failed one, to be attempted again', (name) => {
    const effect = row(failed);
    expect(meet(call({ class: name }), standing(effect))).toEqual({ meets: 'failed', effect });
  });

  it('while one is unknown: the unknown one, even in another run', () => {
    for (const name of ['irreversible', 'idempotent-write'] as const) {
      const effect = row(unknown, { runId: 'another' });
      expect(meet(call({ class: name }), standing(effect))).toEqual({ meets: 'unknown', effect });
    }
  });

  it('while one of an undeclared tool is unknown: it in its own run, and next to nothing in another', () => {
    const undeclared = call({ class: 'undeclared' });
    const own = row(unknown);
    expect(meet(undeclared, standing(own))).toEqual({ meets: 'unknown', effect: own });
    const other = row(unknown, { runId: 'another' });
    expect(meet(undeclared, standing(other))).toEqual({
      meets: 'nothing',
      generation: 5,
      earlierUnknown: other,
    });
  });

  it('of a step inside a tool: its own row alone, whatever else the ledger holds', () => {
    const step = { parent: by, name: 'reserve' };
    const there = row(unknown, { intentId: 'intent-2', runId: 'run-2' });
    const more = { elsewhere: [there], overwritten: true };
    for (const name of classes) {
      const same = call({ class: name, step, argsDigest: 'other arguments', keyGiven: true });
      expect(meet(same, standing(undefined, more))).toEqual({ meets: 'nothing', generation: 0 });
      for (const [state, meets] of [
        [attempting, 'open'],
        [suspended, 'open'],
        [unknown, 'unknown'],
        [failed, 'failed'],
        [succeeded({ settled: 'compensated', by }), 'done'],
      ] as const) {
        const effect = row(state, { step, runId: 'another' });
        expect(meet(same, standing(effect, more))).toEqual({ meets, effect });
      }
    }
  });

  const again = { meets: 'nothing', generation: 5 };
  const manual = { settled: 'manual', reason: 'no undo' } as const;
  it.each<[WriteClass, string, Settlement, boolean, 'done' | 'open' | 'again']>([
    ['irreversible', 'stands', { settled: 'open' }, false, 'done'],
    ['irreversible', 'was overwritten', { settled: 'open' }, true, 'done'],
    ['irreversible', 'is with a person', manual, true, 'done'],
    ['irreversible', 'is being undone', { settled: 'compensating', by }, false, 'open'],
    ['irreversible', 'was undone', { settled: 'compensated', by }, false, 'again'],
    ['idempotent-write', 'stands', { settled: 'open' }, false, 'done'],
    ['idempotent-write', 'was overwritten', { settled: 'open' }, true, 'again'],
    ['idempotent-write', 'is with a person, overwritten', manual, true, 'again'],
    [
      'idempotent-write',
      'is being undone, overwritten',
      { settled: 'compensating', by },
      true,
      'open',
    ],
    ['idempotent-write', 'was undone', { settled: 'compensated', by }, false, 'again'],
    ['undeclared', 'stands', { settled: 'open' }, false, 'again'],
    ['undeclared', 'was undone', { settled: 'compensated', by }, false, 'again'],
  ])('after a success, %s, that %s', (name, _, settlement, overwritten, expected) => {
    const effect = row(succeeded(settlement));
    const meeting = meet(call({ class: name }), standing(effect, { overwritten }));
    expect(meeting).toEqual(expected === 'again' ? again : { meets: expected, effect });
  });

  const place = { threadId: 't', messageId: 'm', position: 0, callId: 'c', taskId: 'k' };
  const { callId, ...withoutCall } = place;
  const { messageId, ...withoutMessage } = place;
  const { taskId, ...withoutTask } = withoutMessage;
  it.each<[string, Place, Place, 'done' | 'nothing']>([
    ['the same place', place, place, 'done'],
    ['another run of its task', place, { ...place, taskId: 'l' }, 'done'],
    ['a later message', place, { ...place, messageId: 'n' }, 'nothing'],
    ['another thread', place, { ...place, threadId: 'u' }, 'nothing'],
    ['another position', place, { ...place, position: 1 }, 'nothing'],
    ['another call', place, { ...place, callId: 'd' }, 'nothing'],
    ['a call without an id', withoutCall, withoutCall, 'nothing'],
    ['a graph whose messages have no ids', withoutMessage, withoutMessage, 'nothing'],
    ['no graph', withoutTask, withoutTask, 'done'],
  ])(
    'when a call is made again, from %s: its own success, or a new wish',
    (_, before, now, meets) => {
      for (const name of ['undeclared', 'idempotent-write'] as const) {
        const effect = row(succeeded(), { place: before });
        const again = call({ class: name, place: now });
        expect(meet(again, standing(effect, { overwritten: true })).meets).toBe(meets);
        const edited = { ...again, argsDigest: 'x' };
        expect(meet(edited, standing(effect, { overwritten: true })).meets).toBe('nothing');
      }
    },
  );

  it('under a given key with other arguments: a conflict, whatever became of it', () => {
    const given = { keyGiven: true, identity: 'order-7' } as const;
    for (const state of [attempting, suspended, failed, unknown, succeeded()]) {
      const effect = row(state, given);
      const other = call({ ...given, argsDigest: 'digest of b' });
      expect(meet(other, standing(effect))).toEqual({ meets: 'conflict', effect });
      expect(meet(call(given), standing(effect)).meets).not.toBe('conflict');
    }
  });

  it('does not compare arguments where they are the key themselves', () => {
    const effect = row(succeeded());
    expect(meet(call({ argsDigest: 'of another form' }), standing(effect)).meets).toBe('done');
  });

  it('in another intent of the thread: what is open or unknown there comes first', () => {
    const there = { intentId: 'intent-2', runId: 'run-2' };
    for (const state of [attempting, suspended, unknown]) {
      const effect = row(state, there);
      const here = standing(row(succeeded()), { elsewhere: [effect] });
      const meets = state.state === 'unknown' ? 'unknown' : 'open';
      expect(meet(call(), here)).toEqual({ meets, effect });
    }
  });

  it('in another intent of the thread: what is unknown does not stop an undeclared tool', () => {
    const there = row(unknown, { intentId: 'intent-2', runId: 'run-2' });
    const open = row(attempting, { intentId: 'intent-3', runId: 'run-3' });
    const undeclared = call({ class: 'undeclared' });
    expect(meet(undeclared, standing(undefined, { elsewhere: [there] })).meets).toBe('nothing');
    expect(meet(undeclared, standing(undefined, { elsewhere: [there, open] }))).toEqual({
      meets: 'open',
      effect: open,
    });
  });

  it.each(['idempotent-write', 'undeclared'] as const)(
    'made again elsewhere, %s: its own success, whatever came after it',
    (name) => {
      const effect = row(succeeded());
      const overwritten = standing(effect, { overwritten: true });
      expect(meet(wish({ class: name }), overwritten)).toEqual({ meets: 'done', effect });
      const edited = wish({ class: name, argsDigest: 'other arguments' });
      expect(meet(edited, overwritten)).toEqual({ meets: 'nothing', generation: 5 });
      const { messageId, ...unnamed } = wish().place;
      const place = { ...unnamed, taskId: 'task-1' };
      const inUnnamed = standing(row(succeeded(), { place }), { overwritten: true });
      expect(meet(wish({ class: name, place }), inUnnamed).meets).toBe('nothing');
    },
  );
});
