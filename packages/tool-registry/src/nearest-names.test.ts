import { describe, expect, it } from 'vitest';
import { nearestNames } from './index.js';

const names = ['get_order', 'get_orders', 'set_order', 'send_mail', 'get_offer'];

describe('the nearest names', () => {
  it('come nearest first, three at most', () => {
    expect(nearestNames('get_order', names)).toEqual(['get_order', 'get_orders', 'set_order']);
    expect(nearestNames('get_order', names, 1)).toEqual(['get_order']);
  });
  it('do not mind case', () => {
    expect(nearestNames('SendMail', names)).toEqual(['send_mail']);
  });
  it('are none where nothing looks alike', () => {
    expect(nearestNames('transfer_money', names)).toEqual([]);
    expect(nearestNames('ab', ['xy', 'q'])).toEqual([]);
    expect(nearestNames('', names)).toEqual([]);
    expect(nearestNames('x'.repeat(1_000_000), names)).toEqual([]);
  });
  it('take names such as __proto__ for ordinary ones', () => {
    expect(nearestNames('__proto__', names)).toEqual([]);
    expect(nearestNames('__proto_', ['__proto__'])).toEqual(['__proto__']);
  });
});
