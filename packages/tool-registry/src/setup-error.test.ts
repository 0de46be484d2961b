import { describe, expect, it } from 'vitest';
import { isSetupError, SetupError } from './index.js';

const error = new SetupError('option_out_of_range', [
  { field: 'deadline', reason: '5 ms is below 100 ms', fix: 'give 100 ms or more' },
  { field: 'attempts', reason: '0 is below 1', fix: 'give 1 to 10' },
]);

describe('a setup error', () => {
  it('shows the first problem and lists all of them in its message', () => {
    expect(error).toMatchObject({
      name: 'SetupError',
      code: 'option_out_of_range',
      field: 'deadline',
      reason: '5 ms is below 100 ms',
      fix: 'give 100 ms or more',
    });
    expect(error.problems).toHaveLength(2);
    expect(error.message).toBe(
      'deadline: 5 ms is below 100 ms. Fix: give 100 ms or more\n' +
        'attempts: 0 is below 1. Fix: give 1 to 10',
    );
  });

  it('keeps the error that caused it', () => {
    const cause = new Error('EACCES');
    const problem = { field: 'path', reason: 'it cannot be read', fix: 'grant access' };
    expect(new SetupError('ledger_unreadable', [problem], { cause }).cause).toBe(cause);
  });

  it('is recognized by its brand, from another copy of the package too, and by its code', () => {
    expect(isSetupError(error)).toBe(true);
    expect(isSetupError(error, 'option_out_of_range')).toBe(true);
    expect(isSetupError(error, 'ledger_full')).toBe(false);
    const foreign = Object.assign(new Error('x'), {
      [Symbol.for('holdfast.setup-error')]: true,
      code: 'ledger_full',
    });
    expect(isSetupError(foreign, 'ledger_full')).toBe(true);
  });

  it('is not anything else', () => {
    for (const other of [new Error('x'), { code: 'ledger_full' }, null, undefined, 'x']) {
      expect(isSetupError(other)).toBe(false);
    }
  });
});
