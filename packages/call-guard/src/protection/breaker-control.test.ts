import { isSetupError } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { coded, desk } from '../order-tools.fixture.js';

describe('the switch of a breaker', () => {
  it.each([
    [
      'send_mial',
      undefined,
      'name: the registry order-desk has no tool named send_mial. Fix: use send_mail',
    ],
    ['mails', 'group', 'name: the registry order-desk has no group named mails. Fix: use mail'],
    [
      undefined,
      'tool',
      'name: the registry order-desk has no tool named undefined. Fix: use a tool of the registry',
    ],
    ['send_mail', 'toString', 'scope: there is no toString. Fix: use one of tool, group'],
  ])('%s of scope %s is refused, and nothing is switched', (name, scope, message) => {
    const { breakers } = desk().guard;
    for (const change of [breakers.open, breakers.reset]) {
      try {
        change(name as string, scope as 'tool');
        expect.unreachable();
      } catch (error) {
        if (!isSetupError(error, 'option_out_of_range')) throw error;
        expect(error.message).toBe(message);
      }
    }
    expect(breakers.snapshot()).toEqual([]);
  });

  it('names all that may have been meant', () => {
    expect(() => desk().guard.breakers.open('_order')).toThrow('use get_order, tag_order');
  });

  it('is of a breaker with the settings of its guard', async () => {
    const { guard, run } = desk({ settings: { breakerConsecutive: 1, attempts: 1 } });
    const call = { tool: 'get_order', args: { orderId: 'o1' }, callId: 'c1' } as const;
    await run(() => guard.call(call, () => Promise.reject(coded('ECONNRESET'))));
    expect(guard.breakers.health('get_order')).toMatchObject({ state: 'open', failures: 1 });
    expect(guard.breakers.health('orders', 'group')).toMatchObject({ state: 'closed' });
    guard.breakers.reset('get_order');
    expect(guard.breakers.health('get_order')?.state).toBe('closed');
  });

  it('takes tools and groups that were never called', () => {
    const { breakers } = desk().guard;
    breakers.open('send_mail');
    breakers.open('mail', 'group');
    expect(breakers.snapshot().map(({ name, state }) => [name, state])).toEqual([
      ['send_mail', 'open'],
      ['mail', 'open'],
    ]);
  });
});
