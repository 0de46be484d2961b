import { describe, expect, it } from 'vitest';
import type { Declaration, Settlement } from '../effect.js';
import type { Transition } from '../transitions.js';
import { found, type OpenLedgers, stage } from './store-fixture.js';
import { failed, movedEffect, succeeded, suspended, unknown, wish } from './worker.js';

/** A keyed write of a value to the one instance of its tool. */
const set = (value: string, change: Partial<Declaration> = {}) =>
  wish({ class: 'idempotent-write', tool: 'set', identity: value, argsDigest: value, ...change });
const mail = (to: string) => wish({ identity: to, argsDigest: to });
const undeclared = (change: Partial<Declaration> = {}) => wish({ class: 'undeclared', ...change });
const settled = (settlement: Settlement): Transition => ({
  to: 'settled',
  settlement,
  evidence: { by: 'undo' },
});

/** The generation rule: what an equal call meets later on. */
export function generationContract(open: OpenLedgers): void {
  describe('the generation rule', () => {
    const at = stage(open);
    const does = async (...wishes: Declaration[]) => {
      const generations: (number | 'folded')[] = [];
      for (const declaration of wishes) {
        const claim = await at.ada.claim(declaration);
        if (claim.found === 'nothing') await at.ada.move(claim.effect, succeeded());
        generations.push(claim.found === 'nothing' ? claim.effect.generation : 'folded');
      }
      return generations;
    };

    it('runs set-A, set-B, set-A three times, and folds a fourth set-A', async () => {
      expect(await does(set('A'), set('B'), set('A'), set('A'))).toEqual([0, 0, 1, 'folded']);
    });

    it('mails A once in mail-A, mail-B, mail-A', async () => {
      expect(await does(mail('A'), mail('B'), mail('A'))).toEqual([0, 0, 'folded']);
    });

    it('takes a write for overwritten only by another wish on the same instance of its tenant', async () => {
      const elsewhere = set('B', { instance: 'another' });
      const theirs = set('B', { tenant: 'other' });
      const sameWish = set('A', { ordinal: 1 });
      expect(await does(set('A'), elsewhere, theirs, sameWish, set('A'))).toEqual([
        ...[0, 0, 0, 0],
        'folded',
      ]);
    });

    it('does not take a write for overwritten by one that certainly failed', async () => {
      await at.ada.doing(set('A'), succeeded());
      await at.ada.doing(set('B'), failed());
      found(await at.ada.claim(set('A')), 'done');
    });

    it('takes a write for overwritten by one that may have happened', async () => {
      await at.ada.doing(set('A'), succeeded());
      await at.ada.doing(set('B'), unknown());
      expect(found(await at.ada.claim(set('A')), 'nothing').effect.generation).toBe(1);
    });

    it('counts a write from its last attempt on', async () => {
      const waits = await at.ada.doing(set('A'), suspended);
      await at.ada.doing(set('B'), succeeded());
      await at.ada.move(movedEffect(await at.ada.begin(waits, 'resumed')), succeeded());
      expect(found(await at.ada.claim(set('B')), 'nothing').effect.generation).toBe(1);

      await at.ada.doing(set('C'), failed());
      await at.ada.doing(set('D'), succeeded());
      await at.ada.doing(set('C'), succeeded());
      found(await at.ada.claim(set('D')), 'nothing');
    });

    it('shows a row of the same run that has moved since it was read', async () => {
      const { effect: read } = found(await at.bob.claim(set('A')), 'nothing');
      const done = movedEffect(await at.bob.move(read, succeeded()));
      await at.bob.doing(set('B'), succeeded());
      expect(await at.ada.claim(set('A'), { read: { latest: read } })).toEqual({
        found: 'unseen',
        effect: done,
      });
      found(await at.ada.claim(set('A'), { read: { latest: done } }), 'nothing');
    });

    it('shows a row of the same run that was not read before a new generation follows it', async () => {
      const first = await at.bob.doing(set('A'), succeeded());
      await at.bob.doing(set('B'), succeeded());
      await at.bob.doing(mail('C'), succeeded());
      const missed = await at.ada.claim(set('A'), { read: {} });
      expect(missed).toEqual({ found: 'unseen', effect: first });
      const { effect } = found(
        await at.ada.claim(set('A'), { read: { latest: first } }),
        'nothing',
      );
      expect(effect.generation).toBe(1);
      // What answers, or stops, does so whether it was read or not.
      found(await at.ada.claim(mail('C'), { read: {} }), 'done');
    });

    it('does not show what another run has done of an equal wish', async () => {
      await at.bob.doing(undeclared(), succeeded());
      const { effect } = found(
        await at.ada.claim(undeclared({ runId: 'run-2' }), { read: {} }),
        'nothing',
      );
      expect(effect.generation).toBe(1);
    });

    it('opens a new generation after a success, or an unknown outcome, that a person wants again: once', async () => {
      const { key: done } = await at.ada.doing(wish(), succeeded());
      const next = found(await at.ada.claim(wish({ againAfter: done })), 'nothing').effect;
      expect(next.generation).toBe(1);
      expect(next).not.toHaveProperty('againAfter');
      await at.ada.move(next, unknown());
      // It has been done again: what the person said is used up.
      found(await at.bob.claim(wish({ againAfter: done }), { gone: 'ada' }), 'unknown');
      const third = found(await at.ada.claim(wish({ againAfter: next.key })), 'nothing');
      expect(third.effect.generation).toBe(2);
      expect(third.earlierUnknown?.key).toBe(next.key);
    });

    it('lets what a person wants again pass an equal call of another intent that may be done', async () => {
      const { key } = await at.ada.doing(wish({ intentId: 'intent-0', runId: 'run-0' }), unknown());
      found(await at.ada.claim(wish()), 'unknown');
      found(await at.ada.claim(wish({ againAfter: key })), 'nothing');
    });

    it('opens a new generation once a success was undone', async () => {
      const done = await at.ada.doing(wish(), succeeded());
      const { key: by } = await at.ada.doing(wish({ tool: 'recall_mail' }), succeeded());
      const manual = movedEffect(
        await at.ada.move(done, settled({ settled: 'manual', reason: 'x' })),
      );
      found(await at.ada.claim(wish()), 'done');
      await at.ada.move(manual, settled({ settled: 'compensated', by }));
      const claim = found(await at.ada.claim(wish()), 'nothing');
      expect(claim.effect.generation).toBe(1);
      expect(claim.effect.key).not.toBe(done.key);
    });

    it('sends nothing while a success is being undone', async () => {
      const done = await at.ada.doing(wish(), succeeded());
      const undoing = settled({ settled: 'compensating', by: done.key });
      const effect = movedEffect(await at.ada.move(done, undoing));
      expect(await at.bob.claim(wish())).toEqual({ found: 'open', effect });
    });

    it('gives each of several equal calls of one message its own effect, by ordinal', async () => {
      expect(await does(wish(), wish({ ordinal: 1 }), wish({ ordinal: 1 }))).toEqual([
        0,
        0,
        'folded',
      ]);
    });

    it('holds within an intent, or across all of them for a business-wide wish', async () => {
      const other = { runId: 'run-2', intentId: 'intent-2', place: {} };
      expect(await does(wish(), wish(other))).toEqual([0, 0]);
      const wide = wish({ scope: 'business', tool: 'pay' });
      expect(await does(wide, { ...wide, ...other })).toEqual([0, 'folded']);
      await at.ada.claim({ ...wide, tool: 'refund' });
      found(await at.bob.claim({ ...wide, ...other, tool: 'refund' }), 'open');
    });

    it('never folds a tool without an entry', async () => {
      expect(await does(undeclared(), undeclared(), undeclared())).toEqual([0, 1, 2]);
    });

    it('answers a call that is made again with its own success, whatever came after it', async () => {
      const place = { threadId: 'thread-1', messageId: 'message-1', position: 0, callId: 'call-1' };
      const later = { ...place, messageId: 'message-2' };
      for (const own of [set('A', { place }), undeclared({ place })]) {
        const effect = await at.ada.doing(own, succeeded());
        await at.ada.doing(set(`after ${own.tool}`), succeeded());
        expect(await at.bob.claim(own)).toEqual({ found: 'done', effect });
        found(await at.ada.claim({ ...own, place: later }), 'nothing');
      }
    });

    it('stops an undeclared wish while one is open, and while one is unknown in its own run, or in any where doubt is shared', async () => {
      const { effect } = found(await at.ada.claim(undeclared()), 'nothing');
      const other = { runId: 'run-2' };
      found(await at.bob.claim(undeclared(other)), 'open');
      const lost = movedEffect(await at.ada.move(effect, unknown()));
      found(await at.ada.claim(undeclared()), 'unknown');
      found(await at.bob.claim(undeclared({ ...other, doubtIsShared: true })), 'unknown');
      const claim = found(await at.bob.claim(undeclared(other)), 'nothing');
      expect(claim).toMatchObject({ earlierUnknown: lost, effect: { generation: 1 } });
    });
  });

  describe('a wish of another intent of the same thread', () => {
    const at = stage(open);
    const later = wish({ runId: 'run-2', intentId: 'intent-2' });

    it('is stopped by an equal one that is open', async () => {
      const { effect } = found(await at.ada.claim(wish()), 'nothing');
      expect(found(await at.bob.claim(later), 'open')).toMatchObject({
        effect,
        lease: { holder: at.ada.owner },
      });
      await at.ada.move(effect, suspended);
      expect(found(await at.bob.claim(later), 'open')).not.toHaveProperty('lease');
    });

    it('is stopped by an equal one that is unknown, unless its tool is undeclared', async () => {
      const effect = await at.ada.doing(wish(), unknown());
      expect(await at.bob.claim(later)).toEqual({ found: 'unknown', effect });
      found(await at.bob.claim({ ...later, class: 'undeclared' }), 'nothing');
    });

    it('is not stopped by one that is done or failed', async () => {
      await at.ada.doing(wish(), succeeded());
      await at.ada.doing(wish({ ordinal: 1 }), failed());
      found(await at.bob.claim(later), 'nothing');
    });

    it('is not stopped across threads or tenants, without a thread, or by another wish', async () => {
      await at.ada.claim(wish());
      found(await at.bob.claim({ ...later, place: { threadId: 'thread-2' } }), 'nothing');
      found(await at.bob.claim({ ...later, place: {}, ordinal: 1 }), 'nothing');
      found(await at.bob.claim({ ...later, tenant: 'other' }), 'nothing');
      found(await at.bob.claim({ ...later, identity: 'b', ordinal: 2 }), 'nothing');
    });

    it('is not stopped when it is business-wide: its own rows say all there is to say', async () => {
      await at.ada.claim(wish());
      found(await at.bob.claim({ ...later, scope: 'business' }), 'nothing');
    });

    it('turns an equal one that a dead owner left into an unknown one first', async () => {
      const { effect } = found(await at.ada.claim(wish()), 'nothing');
      const claim = found(await at.bob.claim(later, { gone: 'ada' }), 'unknown');
      expect(claim.effect).toMatchObject({ key: effect.key, state: 'unknown', version: 2 });
    });
  });
}
