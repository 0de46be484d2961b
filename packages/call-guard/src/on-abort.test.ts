import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { onAbort } from './on-abort.js';

describe('listening to a signal', () => {
  it('takes one listener for however many, and none when all have let go', () => {
    const { signal } = new AbortController();
    const letGo = Array.from({ length: 1_000 }, () => onAbort(signal, () => {}));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    for (const go of letGo) go();
    for (const go of letGo) go();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('tells each once, and those who let go of it never', () => {
    const caller = new AbortController();
    const told: string[] = [];
    const same = (): void => void told.push('same');
    onAbort(caller.signal, same);
    onAbort(caller.signal, same);
    onAbort(caller.signal, () => told.push('gone'))();
    caller.abort();
    caller.abort();
    expect(told).toEqual(['same', 'same']);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  });

  it('without a signal is nothing', () => {
    expect(() => onAbort(undefined, () => {})()).not.toThrow();
  });
});
