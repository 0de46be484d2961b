import { describe, expect, it } from 'vitest';
import type { Effect } from '../effect.js';
import { isInDoubt } from '../effect-change.js';
import { type OpenLedgers, stage } from './store-fixture.js';
import { failed, movedEffect, suspended, unknown, wish } from './worker.js';

/** What an attempt that had no effect says of the attempts before it: nothing. */
export function doubtContract(open: OpenLedgers): void {
  describe('an effect that an earlier attempt may have had', () => {
    const at = stage(open);
    const resent = async (): Promise<Effect> => {
      const lost = await at.ada.doing(wish(), unknown());
      return movedEffect(await at.ada.begin(lost, 'resend'));
    };
    const endsOf = ({ attempts }: Effect) => attempts.map(({ ended }) => ended);

    it('stays unknown when a later attempt fails', async () => {
      const row = movedEffect(await at.ada.move(await resent(), failed()));
      expect(row).toMatchObject({ state: 'unknown', reason: 'business_error' });
      expect(row).toMatchObject({ since: at.clock.now, attempts: [{}, { ended: 'unknown' }] });
    });

    it('stays unknown when a later attempt paused, and was given up or failed after it', async () => {
      const waits = movedEffect(await at.ada.move(await resent(), suspended));
      expect(endsOf(waits)).toEqual(['unknown', 'suspended']);
      const givenUp = await at.ledger.move(waits.key, waits, failed());
      expect(givenUp).toMatchObject({ moved: { state: 'unknown' } });
    });

    it('is resumed in doubt', async () => {
      const waits = movedEffect(await at.ada.move(await resent(), suspended));
      const resumed = movedEffect(await at.ada.begin(waits, 'resumed'));
      expect(isInDoubt(resumed)).toBe(true);
      expect(await at.ada.move(resumed, failed())).toMatchObject({ moved: { state: 'unknown' } });
    });

    it('has certainly not taken place when a probe or a person says so, of all attempts', async () => {
      for (const by of ['probe', 'person'] as const) {
        const again = movedEffect(
          await at.ada.begin(await at.ada.doing(wish({ identity: by }), unknown()), 'resend'),
        );
        const lost = movedEffect(await at.ada.move(again, unknown()));
        const row = movedEffect(
          await at.ledger.move(lost.key, lost, { ...failed(), evidence: { by } }),
        );
        expect(row.state).toBe('failed');
        expect(endsOf(row)).toEqual(['failed', 'failed']);
      }
    });

    it('leaves no doubt to an attempt that began because it was proven absent', async () => {
      const lost = await at.ada.doing(wish(), unknown());
      const row = movedEffect(await at.ada.begin(lost, 'probe-absent'));
      expect(isInDoubt(row)).toBe(false);
      expect(await at.ada.move(row, failed())).toMatchObject({ moved: { state: 'failed' } });
    });

    it('has failed when the one attempt in doubt turns out to have failed', async () => {
      const lost = await at.ada.doing(wish(), unknown());
      const late = { ...failed(), evidence: { by: 'late-answer' } } as const;
      expect(await at.ledger.submitEvidence(lost.key, { id: 'ada-1' }, late)).toMatchObject({
        moved: { state: 'failed', attempts: [{ ended: 'failed' }] },
      });
    });
  });
}
