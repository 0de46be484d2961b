import { describe, expect, it } from 'vitest';
import type { CallFlaw } from './call/request.js';
import { type Desk, desk, failureOf, gist } from './order-tools.fixture.js';

const tools = {
  read: { tool: 'get_order', args: { orderId: 'o1' }, result: { orderId: 'o1', slot: 'am' } },
  irreversible: { tool: 'send_mail', args: { to: 'a@b', subject: 's' }, result: 'sent' },
  'idempotent-write': { tool: 'set_delivery', args: { orderId: 'o1', slot: 'am' }, result: 'set' },
  undeclared: { tool: 'legacy_sync', args: { all: true }, result: 'synced' },
  delegates: { tool: 'research', args: { question: 'q' }, result: 'found' },
} as const;
const cutOff: CallFlaw = { kind: 'output_truncated', details: { finishReason: 'length' } };
const cutInHalf: CallFlaw = {
  kind: 'output_truncated',
  details: { finishReason: 'length', echo: '{"to":"a@' },
};
const garbled: CallFlaw = { kind: 'malformed_call', details: { position: 6, echo: '{"to":' } };

async function made(shop: Desk, name: keyof typeof tools, flaw: CallFlaw) {
  let ran = 0;
  const { tool, args, result } = tools[name];
  const answer = await shop.run(() =>
    shop.guard.call({ tool, args, callId: 'c1', flaw }, async () => {
      ran += 1;
      return result as never;
    }),
  );
  return { answer, ran, rows: await shop.rows() };
}

describe('a call with a flaw', () => {
  it.each(['irreversible', 'idempotent-write', 'undeclared', 'delegates'] as const)(
    'LG-49: of class %s is not made from a message that was cut off',
    async (name) => {
      const { answer, ran, rows } = await made(desk(), name, cutOff);
      expect(gist(answer)).toBe('output_truncated, none');
      expect(failureOf(answer).forModel).toContain('next: make the call in a shorter message.');
      expect([ran, rows]).toEqual([0, []]);
    },
  );

  it('LG-49: is made in spite of that where it only reads, and all of it came', async () => {
    expect(gist((await made(desk(), 'read', cutOff)).answer)).toBe('ok');
    expect(gist((await made(desk(), 'read', cutInHalf)).answer)).toBe('output_truncated, none');
  });

  it.each(['read', 'irreversible'] as const)(
    'LG-47: of class %s is not made where it cannot be read',
    async (name) => {
      const { answer, ran } = await made(desk(), name, garbled);
      expect(gist(answer)).toBe('malformed_call, none');
      expect(failureOf(answer).forModel).toContain('could not be read from character 6 on: {"to":');
      expect(ran).toBe(0);
    },
  );
});
