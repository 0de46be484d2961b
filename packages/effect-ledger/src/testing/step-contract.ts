import { describe, expect, it } from 'vitest';
import type { Declaration, Effect } from '../effect.js';
import { stepKey } from '../effect-key.js';
import { undoOrder } from '../undo-order.js';
import { found, type OpenLedgers, stage } from './store-fixture.js';
import {
  failed,
  leaseMs,
  movedEffect,
  rowOf,
  succeeded,
  suspended,
  unknown,
  wish,
} from './worker.js';

const set = (value: string, change: Partial<Declaration> = {}) =>
  wish({ class: 'idempotent-write', tool: 'set', identity: value, argsDigest: value, ...change });

/** Steps inside tools: effects of their own that no call meets. */
export function stepContract(open: OpenLedgers): void {
  describe('a step inside a tool', () => {
    const at = stage(open);
    const parent = async () => found(await at.ada.claim(set('A')), 'nothing').effect;
    /** As a tool's code declares it: all that its parent has, and a name. */
    const stepOf = ({ key }: Effect, name = 'reserve', change: Partial<Declaration> = {}) =>
      set('A', { identity: '', step: { parent: key, name }, ...change });

    it('has a row of its own, found by its key and with its run alone', async () => {
      const whole = await parent();
      const { effect } = found(await at.ada.claim(stepOf(whole)), 'nothing');
      const key = stepKey(whole.key, 'reserve');
      expect(effect).toMatchObject({
        ...{ key, wish: key, generation: 0, state: 'attempting' },
        step: { parent: whole.key, name: 'reserve' },
      });
      expect(effect).not.toHaveProperty('instance');
      expect(await rowOf(at.second, key)).toEqual(effect);
      expect(await at.second.find({ runId: 'run-1' })).toEqual([whole, effect]);
      expect(await at.second.find({ tenant: 'acme', intentId: 'intent-1' })).toEqual([whole]);
      const inThread = { tenant: 'acme', threadId: 'thread-1', unfinished: true } as const;
      expect(await at.second.find(inThread)).toEqual([whole]);
      await at.ada.move(effect, unknown());
      expect(await at.second.find(inThread)).toEqual([whole]);
    });

    it('is answered with its own result when its tool is entered again', async () => {
      const whole = await parent();
      const done = await at.ada.doing(stepOf(whole), succeeded('reserved'));
      found(await at.ada.claim(stepOf(whole, 'book')), 'nothing');
      expect(await at.ada.claim(stepOf(whole))).toEqual({ found: 'done', effect: done });
      const reworded = stepOf(whole, 'reserve', { argsDigest: 'other', identity: 'other' });
      expect(await at.bob.claim(reworded)).toEqual({ found: 'done', effect: done });
    });

    it('is another one under another parent', async () => {
      const whole = await parent();
      await at.ada.doing(stepOf(whole), succeeded());
      const other = found(await at.ada.claim(set('B')), 'nothing').effect;
      found(await at.ada.claim(stepOf(other)), 'nothing');
    });

    it('meets itself while it is open, unknown or failed', async () => {
      const whole = await parent();
      const { effect } = found(await at.ada.claim(stepOf(whole)), 'nothing');
      const lease = { holder: at.ada.owner, untilMs: at.clock.now + leaseMs };
      expect(await at.bob.claim(stepOf(whole))).toEqual({ found: 'open', effect, lease });
      const waits = movedEffect(await at.ada.move(effect, suspended));
      expect(await at.ada.claim(stepOf(whole))).toEqual({ found: 'open', effect: waits });
      const lost = await at.ada.doing(stepOf(whole, 'lost'), unknown());
      expect(await at.ada.claim(stepOf(whole, 'lost'))).toEqual({ found: 'unknown', effect: lost });
      const refused = await at.ada.doing(stepOf(whole, 'refused'), failed());
      expect(found(await at.ada.claim(stepOf(whole, 'refused')), 'failed').effect).toMatchObject({
        key: refused.key,
        step: refused.step,
        version: 3,
      });
    });

    it('that its owner left behind is unknown, and may be sent again under its key', async () => {
      const whole = await parent();
      const { effect } = found(await at.ada.claim(stepOf(whole)), 'nothing');
      const lost = found(await at.bob.claim(stepOf(whole), { gone: 'ada' }), 'unknown').effect;
      expect(lost).toMatchObject({ key: effect.key, state: 'unknown', step: effect.step });
      const again = movedEffect(await at.bob.begin(lost, 'resend', { gone: 'ada' }));
      expect(again).toMatchObject({ key: effect.key, state: 'attempting' });
    });

    it('is not what an equal call of its tool meets, in its own thread or intent', async () => {
      const whole = await parent();
      await at.ada.doing(stepOf(whole), unknown());
      await at.ada.move(whole, succeeded());
      expect(found(await at.ada.claim(set('A')), 'done').effect.key).toBe(whole.key);
      const later = set('A', { runId: 'run-2', intentId: 'intent-2' });
      found(await at.bob.claim(later), 'nothing');
    });

    it('overwrites nothing: its tool’s own row does', async () => {
      const whole = await parent();
      await at.ada.doing(set('B'), succeeded());
      await at.ada.doing(stepOf(whole), succeeded());
      found(await at.ada.claim(set('B')), 'done');
    });

    it('keeps the run’s lease binding while it is attempted', async () => {
      const whole = await parent();
      await at.ada.claim(stepOf(whole));
      await at.ada.move(whole, suspended);
      found(await at.bob.claim(set('B')), 'held');
    });

    it('has no undo, and is settled first where nobody knows', async () => {
      const whole = await parent();
      await at.ada.doing(stepOf(whole), succeeded());
      const lost = await at.ada.doing(stepOf(whole, 'lost'), unknown());
      const undo = {
        undo: 'ready',
        tool: 'unset',
        args: new Uint8Array([1]),
        strength: 'strong',
        validUntil: 9,
      } as const;
      const done = movedEffect(await at.ada.move(whole, { ...succeeded(), undo }));
      expect(undoOrder(await at.ledger.find({ runId: 'run-1' }))).toEqual({
        steps: [done],
        unknown: [lost],
      });
    });
  });
}
