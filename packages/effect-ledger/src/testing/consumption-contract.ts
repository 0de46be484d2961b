import { describe, expect, it } from 'vitest';
import { admission } from './run-contract.js';
import { found, type OpenLedgers, stage } from './store-fixture.js';
import { leaseMs, movedEffect, succeeded, suspended, unknown, wish } from './worker.js';

/** How much of its active time a run has consumed, over all of its invocations. */
export function consumptionContract(open: OpenLedgers): void {
  describe('what a run has consumed', () => {
    const at = stage(open);
    const consumed = async () => (await at.second.runs({ runId: 'run-1' }))[0]?.consumedMs;
    const admit = () => at.ledger.admit(admission());

    it('is nothing at first, and grows to what it was last said to be', async () => {
      await admit();
      expect(await consumed()).toBe(0);
      await at.ledger.consume('run-1', 1200.5);
      await at.second.consume('run-1', 900);
      expect(await consumed()).toBe(1200.5);
      expect((await admit()).run.consumedMs).toBe(1200.5);
    });

    it('is written with the claim that takes the lease, whatever it is', async () => {
      await admit();
      await at.ada.claim(wish(), { consumedMs: 7 });
      expect(await consumed()).toBe(7);
    });

    it('is written with later claims and moves once it has grown by a second', async () => {
      await admit();
      const first = found(await at.ada.claim(wish(), { consumedMs: 10 }), 'nothing').effect;
      found(await at.ada.claim(wish({ ordinal: 1 }), { consumedMs: 1009 }), 'nothing');
      expect(await consumed()).toBe(10);
      found(await at.ada.claim(wish({ ordinal: 2 }), { consumedMs: 1010 }), 'nothing');
      expect(await consumed()).toBe(1010);
      const by = (consumedMs: number) => ({ claimant: at.ada.claimant({ consumedMs }) });
      const waits = movedEffect(await at.ledger.move(first.key, first, suspended, by(2009)));
      expect(await consumed()).toBe(1010);
      const again = movedEffect(await at.ada.begin(waits, 'resumed', { consumedMs: 3000 }));
      expect(await consumed()).toBe(3000);
      movedEffect(await at.ledger.move(first.key, again, succeeded(), by(9000)));
      expect(await consumed()).toBe(9000);
    });

    it('is not written with what is refused or found', async () => {
      await admit();
      const done = await at.ada.doing(wish(), succeeded());
      found(await at.ada.claim(wish(), { consumedMs: 5000 }), 'done');
      const claimant = at.ada.claimant({ consumedMs: 5000 });
      expect(await at.ledger.move(done.key, done, unknown(), { claimant })).toMatchObject({
        refused: 'illegal',
      });
      expect(await consumed()).toBe(0);
    });

    it('is written when the lease is renewed, and where there is nothing to renew', async () => {
      await admit();
      const { effect } = found(await at.ada.claim(wish()), 'nothing');
      await at.ledger.renew('run-1', at.ada.claimant({ consumedMs: 10 }));
      expect(await consumed()).toBe(10);
      await at.ada.move(effect, succeeded());
      await at.ledger.renew('run-1', at.ada.claimant({ consumedMs: 20 }));
      await at.ledger.renew('run-1', at.ada.claimant({ consumedMs: 15 }));
      expect(await consumed()).toBe(20);
    });

    it('is not given back when the run changes hands', async () => {
      await admit();
      await at.ada.claim(wish(), { consumedMs: 3000 });
      found(await at.bob.claim(wish(), { gone: 'ada' }), 'unknown');
      expect(await consumed()).toBe(3000);
      await at.bob.claim(wish({ ordinal: 1 }), { consumedMs: 4000 });
      expect(await consumed()).toBe(4000);
      at.clock.now += leaseMs;
      await at.ada.claim(wish({ ordinal: 2 }), { epoch: 3, consumedMs: 3500 });
      expect(await consumed()).toBe(4000);
    });

    it('is written with the end of the run, and no more after it', async () => {
      await admit();
      await at.ledger.endRun('run-1', 'complete', 800);
      await at.ledger.endRun('run-1', 'complete', 900);
      expect(await at.second.runs({ runId: 'run-1' })).toMatchObject([
        { consumedMs: 800, ended: { status: 'complete' } },
      ]);
    });

    it('is known of a run that is written down after its first effect', async () => {
      await at.ada.claim(wish(), { consumedMs: 40 });
      expect((await admit()).run.consumedMs).toBe(40);
      await at.ledger.consume('nobody', 10);
      expect(await at.second.runs({ runId: 'nobody' })).toEqual([]);
    });

    it('is activity of the run', async () => {
      await admit();
      at.clock.now += 50;
      await at.ledger.consume('run-1', 1);
      expect(await at.second.runs({ runId: 'run-1' })).toMatchObject([{ activeAt: at.clock.now }]);
    });
  });
}
