import { describe, expect, it } from 'vitest';
import { failed, leftToPerson, withEffect } from './next-step.js';

describe('who may act next', () => {
  it('is nobody once an effect is unknown, except for a guard that waits', () => {
    expect(failed('business_error', 'none', {}).next).toEqual({
      by: 'model',
      advice: 'fix_arguments',
    });
    expect(failed('business_error', 'unknown', {}).next).toEqual({
      by: 'nobody',
      advice: 'do_not_retry',
    });
    expect(failed('in_flight', 'unknown', {}).next).toEqual({ by: 'guard', advice: 'wait' });
  });

  it('follows when more becomes known of the effect', () => {
    const unsent = failed('business_error', 'none', { status: 422 }, 'why');
    const doubtful = withEffect(unsent, 'unknown');
    expect(doubtful).toEqual({
      kind: 'business_error',
      effect: 'unknown',
      next: { by: 'nobody', advice: 'do_not_retry' },
      details: { status: 422 },
      cause: 'why',
    });
    expect(withEffect(doubtful, 'none')).toEqual(unsent);
  });

  it('is a person where nothing can find out, and nobody else while a guard waits', () => {
    const lost = failed('transport_lost', 'unknown', { sent: true });
    expect(leftToPerson(lost)).toEqual({ ...lost, next: { by: 'nobody', advice: 'hand_off' } });
    for (const other of [
      failed('transport_lost', 'none', { sent: false }),
      failed('in_flight', 'unknown', {}),
    ]) {
      expect(leftToPerson(other)).toBe(other);
    }
  });

  it('a failure without a cause has no such property', () => {
    expect('cause' in failed('business_error', 'none', {})).toBe(false);
  });
});
