import { describe, expect, it } from 'vitest';
import type { Failure } from '../failure.js';
import { failed } from '../next-step.js';
import { type CallEnd, CallEnds } from './call-ends.js';

const key = 'k1' as NonNullable<Failure['idempotencyKey']>;
const texts = { forModel: '', forUser: '' };
const identity = { runId: 'r1', intentId: 'i1', attempts: 1 };

function ended(callId: string, effect?: 'none' | 'unknown', idempotencyKey?: typeof key): CallEnd {
  const tool = 'find';
  if (effect === undefined) return { tool, callId };
  const facts = failed('dependency_failed', effect, {});
  const about = idempotencyKey === undefined ? {} : { idempotencyKey };
  return { tool, callId, failure: { ...facts, ...identity, ...texts, ...about, tool, callId } };
}

function openAfter(...ends: readonly CallEnd[]): readonly string[] {
  const all = new CallEnds();
  for (const end of ends) all.note(end);
  return all.open.map(({ callId }) => callId);
}

describe('the ends of calls', () => {
  it('are kept of failures only, however many calls succeed', () => {
    expect(openAfter(ended('c1'), ended('c2', 'none'))).toEqual(['c2']);
    expect(openAfter(ended('c1', 'none'), ended('c2'))).toEqual([]);
  });

  it('are one where a tool fails over and over', () => {
    expect(openAfter(ended('c1', 'none'), ended('c2', 'none'), ended('c3', 'none'))).toEqual([
      'c3',
    ]);
  });

  it('of another tool make nothing good', () => {
    expect(openAfter(ended('c1', 'none'), { tool: 'other', callId: 'c2' })).toEqual(['c1']);
  });

  it('with an effect or a key stay, whatever comes after', () => {
    expect(openAfter(ended('c1', 'unknown'), ended('c2', 'none', key), ended('c3'))).toEqual([
      'c1',
      'c2',
    ]);
  });
});
