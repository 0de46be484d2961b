import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, isSetupError } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { checkOptions } from './options.js';
import { desk } from './order-tools.fixture.js';

const registry = defineRegistry({ name: 'empty', tools: [], resourceGroups: {} });
const ledger = memoryLedger();

describe('the options of a guard', () => {
  it('are accepted when they are what they should be', () => {
    expect(() => checkOptions({ registry, ledger, tenant: 'acme', events: [] })).not.toThrow();
  });

  it.each([
    [undefined, ['registry', 'ledger']],
    [{ registry: [], ledger: 'agent.db' }, ['registry', 'ledger']],
    [{ registry, ledger, tenant: 5, events: {} }, ['tenant', 'events']],
    [{ registry, ledger, refreshAuth: 'token' }, ['refreshAuth']],
    [{ registry, ledger, locale: ['en'] }, ['locale']],
    [{ registry, ledger, locale: 'fr' }, ['locale']],
    [{ registry, ledger, locale: null }, ['locale']],
    [
      { registry, ledger, offAfterOpen: 'never', probesInLongWaits: true },
      ['offAfterOpen', 'probesInLongWaits'],
    ],
    [{ registry, ledger, redactSecrets: 'no' }, ['redactSecrets']],
    [
      { registry, ledger, onProgress: {}, random: 0, newId: 'x' },
      ['onProgress', 'random', 'newId'],
    ],
  ])('%j: each problem is named, with what to do', (options, fields) => {
    try {
      checkOptions(options);
      expect.unreachable();
    } catch (error) {
      if (!isSetupError(error, 'option_out_of_range')) throw error;
      expect(error.problems.map(({ field }) => field)).toEqual(fields);
      expect(error.problems.every(({ reason, fix }) => reason !== '' && fix !== '')).toBe(true);
    }
  });
});

describe('executors', () => {
  it('are of tools that the registry has', () => {
    try {
      desk({ executors: { find_charg: async () => ({}) } as never });
      expect.unreachable();
    } catch (error) {
      if (!isSetupError(error, 'option_out_of_range')) throw error;
      expect(error.problems).toEqual([
        {
          field: 'executors.find_charg',
          reason: 'the registry has no tool named find_charg',
          fix: 'did you mean find_charge?',
        },
      ]);
    }
  });
});
