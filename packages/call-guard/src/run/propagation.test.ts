import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEADLINE_HEADER, deadlineHeader, readDeadline } from './propagation.js';

describe('the remaining time that crosses a process', () => {
  it('is a duration in whole milliseconds', () => {
    expect(deadlineHeader(1_234.9)).toEqual({ 'x-agent-deadline-ms': '1234' });
    expect(deadlineHeader(0)).toEqual({ 'x-agent-deadline-ms': '0' });
    expect(deadlineHeader(Number.POSITIVE_INFINITY)).toEqual({});
  });

  it('is read from whatever carries headers', () => {
    expect(readDeadline(new Headers({ [DEADLINE_HEADER]: ' 250 ' }))).toBe(250);
    expect(readDeadline({ 'X-Agent-Deadline-Ms': '250' })).toBe(250);
    expect(readDeadline({ [DEADLINE_HEADER]: 250 })).toBe(250);
    expect(readDeadline({ accept: '1', [DEADLINE_HEADER]: ['250'], get: '7' })).toBe(250);
  });

  it('is 30 days at most', () => {
    expect(deadlineHeader(2_592_000_000)).toEqual({ [DEADLINE_HEADER]: '2592000000' });
    expect(readDeadline({ [DEADLINE_HEADER]: '2592000000' })).toBe(2_592_000_000);
    expect(deadlineHeader(2_592_000_001)).toEqual({});
  });

  it('is no other header', () => {
    expect(readDeadline({ accept: '1', get: '7' })).toBeUndefined();
    expect(readDeadline(new Headers({ accept: '1' }))).toBeUndefined();
  });

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['garbage', 'soon'],
    ['negative', '-5'],
    ['a fraction', '1.5'],
    ['an exponent', '1e3'],
    ['hexadecimal', '0x10'],
    ['a list', '100, 200'],
    ['huge', '99999999999999999999'],
    ['more than 30 days', '2592000001'],
    ['infinite', 'Infinity'],
    ['not a number', 'NaN'],
  ])('RS-60: %s is no deadline', (_, value) => {
    expect(readDeadline({ [DEADLINE_HEADER]: value })).toBeUndefined();
  });

  it('is read as it was written, and garbage never as a number that is none', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2_592_000_000, noNaN: true }), (ms) => {
        expect(readDeadline(deadlineHeader(ms))).toBe(Math.floor(ms));
      }),
      { seed: 60 },
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = readDeadline({ [DEADLINE_HEADER]: text });
        if (ms !== undefined) expect(String(ms)).toBe(text.trim().replace(/^0+(?=\d)/, ''));
      }),
      { seed: 60 },
    );
  });
});
