import { describe, expect, it } from 'vitest';
import { found, type OpenLedgers, stage } from './store-fixture.js';
import {
  firstEndAfter,
  leaseMs,
  movedEffect,
  rowOf,
  succeeded,
  suspended,
  unknown,
  wish,
} from './worker.js';

const other = wish({ identity: 'b' });
const third = wish({ identity: 'c' });

/** Leases and epochs: who may work on a run. */
export function leaseContract(open: OpenLedgers): void {
  describe('the lease of a run', () => {
    const at = stage(open);

    it('is held by its owner alone until it runs out', async () => {
      await at.ada.claim(wish());
      const lease = { holder: at.ada.owner, untilMs: at.clock.now + leaseMs };
      expect(await at.bob.claim(other)).toEqual({ found: 'held', lease });
      found(await at.ada.claim(other), 'nothing');
      at.clock.now += leaseMs - 1;
      found(await at.bob.claim(third), 'held');
      at.clock.now += 1;
      expect(found(await at.bob.claim(third), 'nothing').epoch).toBe(2);
    });

    it('is not another run’s business', async () => {
      await at.ada.claim(wish());
      expect(found(await at.bob.claim(wish({ runId: 'run-2', ordinal: 1 })), 'nothing').epoch).toBe(
        1,
      );
    });

    it('is renewed by each claim', async () => {
      await at.ada.claim(wish());
      at.clock.now += leaseMs - 1;
      await at.ada.claim(other);
      at.clock.now += leaseMs - 1;
      found(await at.bob.claim(third), 'held');
    });

    it('gives parallel first claims of one owner one epoch', async () => {
      const claims = await Promise.all([wish(), other, third].map((one) => at.ada.claim(one)));
      expect(claims.map((claim) => found(claim, 'nothing').epoch)).toEqual([1, 1, 1]);
    });

    it('turns a row into an unknown one when it has run out, and into nothing else', async () => {
      const { effect } = found(await at.ada.claim(wish()), 'nothing');
      at.clock.now += leaseMs;
      const claim = found(await at.bob.claim(wish()), 'unknown');
      const { owner: _, ...kept } = effect;
      expect(claim.effect).toEqual({
        ...kept,
        state: 'unknown',
        since: at.clock.now,
        reason: expect.any(String),
        version: 2,
        endSeq: firstEndAfter(1),
        attempts: [{ ...effect.attempts[0], endedAt: at.clock.now, ended: 'unknown' }],
      });
      expect(await rowOf(at.ledger, effect.key)).toEqual(claim.effect);
      expect(found(await at.bob.claim(other), 'nothing').epoch).toBe(3);
    });

    it('need not run out when the owner’s process is gone', async () => {
      const { effect } = found(await at.ada.claim(wish()), 'nothing');
      found(await at.bob.claim(other), 'held');
      const gone = { gone: 'ada' };
      expect(found(await at.bob.claim(wish(), gone), 'unknown').effect.key).toBe(effect.key);
      found(await at.bob.claim(other, gone), 'nothing');
    });

    it('of a gone owner is taken without meeting its rows', async () => {
      await at.ada.claim(wish());
      expect(found(await at.bob.claim(other, { gone: 'ada' }), 'nothing').epoch).toBe(2);
    });

    it('refuses a stale epoch, with or without somebody at work', async () => {
      await at.ada.claim(wish());
      at.clock.now += leaseMs;
      const { effect } = found(await at.bob.claim(other), 'nothing');
      expect(await at.ada.claim(third)).toEqual({ found: 'stale-epoch' });
      await at.bob.move(effect, succeeded());
      expect(await at.ada.claim(third)).toEqual({ found: 'stale-epoch' });
      found(await at.bob.claim(third), 'nothing');
    });

    it('matters only to who wants to attempt: what is known is answered to stale owners too', async () => {
      await at.ada.claim(wish());
      at.clock.now += leaseMs;
      const done = await at.bob.doing(other, succeeded());
      await at.bob.claim(third);
      expect(await at.ada.claim(other)).toEqual({ found: 'done', effect: done });
      found(await at.ada.claim(third), 'open');
      found(await at.ada.claim(wish()), 'unknown');
    });

    it('of the one who took the run over outlives the discovery of the former one’s rows', async () => {
      await at.ada.claim(wish());
      at.clock.now += leaseMs;
      expect(found(await at.bob.claim(other), 'nothing').epoch).toBe(2);
      found(await at.bob.claim(wish()), 'unknown');
      expect(found(await at.bob.claim(third), 'nothing').epoch).toBe(2);
    });

    it('is over for a row that was left behind by the one who had it before', async () => {
      await at.ada.claim(wish());
      at.clock.now += leaseMs;
      await at.bob.doing(other, succeeded());
      expect(found(await at.bob.claim(wish()), 'unknown').effect.attempts[0]?.ended).toBe(
        'unknown',
      );
    });

    it.each([
      ['succeeded', succeeded()],
      ['suspended', suspended],
      ['unknown', unknown()],
    ])('binds nobody when the last open row of its owner is %s', async (_, transition) => {
      const first = found(await at.ada.claim(wish()), 'nothing').effect;
      const second = found(await at.ada.claim(other), 'nothing').effect;
      await at.ada.move(first, transition);
      found(await at.bob.claim(third), 'held');
      await at.ada.move(second, transition);
      expect(found(await at.bob.claim(third), 'nothing').epoch).toBe(2);
    });

    it('is taken again by its last holder under the same epoch', async () => {
      await at.ada.doing(wish(), succeeded());
      expect(found(await at.ada.claim(other), 'nothing').epoch).toBe(1);
    });

    it('can be renewed while the epoch holds', async () => {
      await at.ada.claim(wish());
      at.clock.now += leaseMs - 1;
      expect(await at.ledger.renew('run-1', at.ada.claimant())).toBe(true);
      at.clock.now += leaseMs - 1;
      found(await at.bob.claim(other), 'held');
      at.clock.now += 1;
      await at.bob.claim(other);
      expect(await at.ledger.renew('run-1', at.ada.claimant())).toBe(false);
      expect(await at.ledger.renew('run-1', { owner: at.ada.owner, leaseMs })).toBe(false);
      expect(await at.ledger.renew('no such run', at.bob.claimant())).toBe(false);
    });

    it('is not made to bind by renewing it where nothing is attempted', async () => {
      await at.ada.doing(wish(), succeeded());
      expect(await at.ledger.renew('run-1', at.ada.claimant())).toBe(true);
      found(await at.bob.claim(other), 'nothing');
    });

    it('is needed to resume, and is taken by it', async () => {
      const waits = await at.ada.doing(wish(), suspended);
      const moved = movedEffect(await at.bob.begin(waits, 'resumed'));
      expect(moved).toMatchObject({ state: 'attempting', owner: at.bob.owner });
      found(await at.ada.claim(other, {}), 'stale-epoch');
    });
  });
}
