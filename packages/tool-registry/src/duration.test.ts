import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Duration, isSetupError, toMilliseconds } from './index.js';

describe('a duration', () => {
  it.each<[Duration, number]>([
    [0, 0],
    [250, 250],
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1.5h', 5_400_000],
    ['7d', 604_800_000],
    ['1.1s', 1_100],
    ['1e3s', 1_000_000],
  ])('%s is %d ms', (duration, ms) => {
    expect(toMilliseconds(duration, 'x')).toBe(ms);
  });

  it('is rounded to whole milliseconds, but something never becomes nothing', () => {
    expect(toMilliseconds(1.5, 'x')).toBe(2);
    expect(toMilliseconds('0.1ms', 'x')).toBe(1);
  });

  it.each([
    ['a negative number', -1, '-1 is negative'],
    ['NaN', Number.NaN, 'NaN is not a duration'],
    ['Infinity', Number.POSITIVE_INFINITY, 'Infinity is more than 2^53 ms'],
    ['minus Infinity', Number.NEGATIVE_INFINITY, '-Infinity is negative'],
    ['2^53', 2 ** 53, '9007199254740992 is more than 2^53 ms'],
    ['a negative text', '-1s', '"-1s" is not a duration'],
    ['an unknown unit', '5w', '"5w" is not a duration'],
    ['an inherited name as unit', '5constructor', '"5constructor" is not a duration'],
    ['no unit', '5', '"5" is not a duration'],
    ['no number', 'h', '"h" is not a duration'],
    ['too long a time', '1e300d', '1e300d is more than 2^53 ms'],
    ['null', null, 'null is not a duration'],
    ['an object', {}, 'object is not a duration'],
  ])('refuses %s with the field and the reason', (_, duration, reason) => {
    // Plain JavaScript gives what the types forbid.
    const give = () => toMilliseconds(duration as Duration, 'tools.refund.compensation.within');
    try {
      give();
      expect.unreachable();
    } catch (error) {
      if (!isSetupError(error, 'option_out_of_range')) throw error;
      expect(error.field).toBe('tools.refund.compensation.within');
      expect(error.reason).toBe(reason);
    }
  });

  it('means the same as a number and as text', () => {
    fc.assert(
      fc.property(fc.nat(), (ms) => {
        expect(toMilliseconds(`${ms}ms`, 'x')).toBe(toMilliseconds(ms, 'x'));
      }),
      { seed: 31 },
    );
  });
});
