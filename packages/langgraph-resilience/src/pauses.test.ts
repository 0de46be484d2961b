import { describe, expect, it } from 'vitest';
import { distinct, interruptsIn } from './pauses.js';

describe('the pauses of a graph', () => {
  it('are each shown once, though a flow inside of a node hands them up twice', () => {
    const [a, b] = [
      { id: '1', value: { question: 'A?' }, callId: 'c1' },
      { id: '2', value: { question: 'A?' }, callId: 'c2' },
    ];
    expect(distinct([a, structuredClone(a), b])).toEqual([a, b]);
    expect(interruptsIn({ __interrupt__: [a, b, structuredClone(b)] })).toEqual([a, b]);
  });

  it('that differ in what they ask are several, also under one id', () => {
    const pauses = [
      { id: '1', value: 'A?' },
      { id: '1', value: 'B?' },
    ];
    expect(distinct(pauses)).toEqual(pauses);
  });
});
