import { defineTool, type Registry } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { orderTools } from '../order-tools.fixture.js';
import { thaw } from './frozen-arguments.js';
import { planUndo } from './undo-plan.js';

const registry: Registry = orderTools;

function booking(args: (effect: { args: unknown; result: unknown; before: unknown }) => unknown) {
  return defineTool({
    name: 'book',
    summary: 'Book.',
    input: z.object({ slot: z.string() }),
    idempotency: { class: 'irreversible' },
    compensation: { tool: 'move_order', strength: 'weak', within: '1h', args },
    resourceGroup: 'orders',
    owner: 'o@team',
  });
}

const effect = { args: { slot: 'new' }, result: 'r', before: { slot: 'old' } };

describe('the undo of an effect', () => {
  it('is ready when the tool that undoes takes what the mapping gives', async () => {
    const seen: unknown[] = [];
    const entry = booking((given) => {
      seen.push(given);
      return { orderId: 'o1', slot: 'old' };
    });
    const undo = await planUndo(entry, effect, registry, 1_000);
    expect(seen).toEqual([effect]);
    expect(undo).toMatchObject({
      undo: 'ready',
      tool: 'move_order',
      strength: 'weak',
      validUntil: 3_601_000,
    });
    expect(undo.undo === 'ready' && thaw(undo.args)).toEqual({ orderId: 'o1', slot: 'old' });
  });

  it('is invalid when it would be refused, and says at which argument', async () => {
    const undo = await planUndo(
      booking(() => ({ orderId: 'o1' })),
      effect,
      registry,
      0,
    );
    expect(undo).toMatchObject({ undo: 'invalid' });
    expect(undo.undo === 'invalid' && undo.reason).toMatch(
      /^move_order would refuse its arguments: slot: /,
    );
  });

  it('is invalid when the mapping throws', async () => {
    const entry = booking(() => {
      throw new Error('no slot before');
    });
    expect(await planUndo(entry, effect, registry, 0)).toEqual({
      undo: 'invalid',
      reason: 'no slot before',
    });
  });

  it('is none where the entry says so, or says nothing', async () => {
    for (const name of ['send_mail', 'set_delivery']) {
      const entry = registry.tools.get(name);
      if (entry === undefined) throw new Error(name);
      expect(await planUndo(entry, effect, registry, 0)).toEqual({ undo: 'none' });
    }
  });
});
