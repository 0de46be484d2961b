import { describe, expect, it } from 'vitest';
import { effectKey } from '../effect-key.js';
import { found, type OpenLedgers, stage } from './store-fixture.js';
import { failed, leaseMs, movedEffect, rowOf, succeeded, unknown, wish } from './worker.js';

/** Evidence: what even a stale owner may hand in about its own attempt. */
export function evidenceContract(open: OpenLedgers): void {
  describe('evidence', () => {
    const at = stage(open);
    const late = { ...succeeded('late'), evidence: { by: 'late-answer' } } as const;

    it('from an epoch that is over is refused as a claim or move and accepted as the truth (DU-26)', async () => {
      const { effect } = found(await at.ada.claim(wish()), 'nothing');
      at.clock.now += leaseMs;
      found(await at.bob.claim(wish()), 'unknown');
      found(await at.bob.claim(wish({ ordinal: 1 })), 'nothing');
      expect(await at.ada.claim(wish({ ordinal: 2 }))).toEqual({ found: 'stale-epoch' });
      expect(await at.ada.move(effect, late)).toMatchObject({ refused: 'stale-epoch' });

      const moved = movedEffect(
        await at.ledger.submitEvidence(effect.key, { id: 'ada-1', tries: 1 }, late),
      );
      expect(moved).toMatchObject({ state: 'succeeded', version: 3 });
      expect(moved.attempts[0]).toMatchObject({ ended: 'succeeded', tries: 1 });
      expect(found(await at.bob.claim(wish()), 'done').effect).toEqual(moved);
    });

    it('does not take the lease from the one who works now', async () => {
      const { effect } = found(await at.ada.claim(wish()), 'nothing');
      at.clock.now += leaseMs;
      found(await at.bob.claim(wish({ ordinal: 1 })), 'nothing');
      await at.ledger.submitEvidence(effect.key, { id: 'ada-1' }, late);
      expect(await at.second.renew('run-1', at.bob.claimant())).toBe(true);
      expect(found(await at.bob.claim(wish({ ordinal: 2 })), 'nothing').epoch).toBe(2);
    });

    it('leaves the lease of its own owner binding nobody', async () => {
      const { effect } = found(await at.ada.claim(wish()), 'nothing');
      await at.ledger.submitEvidence(effect.key, { id: 'ada-1' }, late);
      found(await at.bob.claim(wish({ ordinal: 1 })), 'nothing');
    });

    it('of a success by an earlier attempt ends a later one', async () => {
      const lost = await at.ada.doing(wish(), unknown());
      await at.ada.begin(lost, 'resend');
      expect(await at.ledger.submitEvidence(lost.key, { id: 'ada-1' }, late)).toMatchObject({
        moved: { state: 'succeeded', attempts: [{ ended: 'succeeded' }, { id: 'ada-2' }] },
      });
    });

    it('of no effect counts from the last attempt only: a later one may have acted', async () => {
      const lost = await at.ada.doing(wish(), unknown());
      const again = movedEffect(await at.ada.begin(lost, 'resend'));
      for (const transition of [failed(), unknown()]) {
        expect(await at.ledger.submitEvidence(lost.key, { id: 'ada-1' }, transition)).toEqual({
          refused: 'illegal',
          effect: again,
        });
      }
      expect(await at.ledger.submitEvidence(lost.key, { id: 'ada-2' }, failed())).toMatchObject({
        moved: { state: 'unknown', reason: 'business_error' },
      });
    });

    it('is refused when nobody knows the row or its attempt, or the law forbids it', async () => {
      const effect = await at.ada.doing(wish(), succeeded('first'));
      const other = await at.ada.doing(wish({ ordinal: 1 }), unknown());
      const nowhere = effectKey({ ...wish({ ordinal: 2 }), generation: 0 });
      for (const [key, id] of [
        [nowhere, 'ada-1'],
        [other.key, 'ada-1'],
        [other.key, 'nobody'],
      ] as const) {
        expect(await at.ledger.submitEvidence(key, { id }, late)).toEqual({ refused: 'missing' });
      }
      expect(await at.ledger.submitEvidence(effect.key, { id: 'ada-1' }, late)).toEqual({
        refused: 'illegal',
        effect,
      });
      expect(await rowOf(at.ledger, effect.key)).toEqual(effect);
    });
  });
}
