import { describe, expect, it } from 'vitest';
import { found, type OpenLedgers, stage } from './store-fixture.js';
import {
  failed,
  firstEndAfter,
  leaseMs,
  movedEffect,
  result,
  rowOf,
  succeeded,
  suspended,
  unknown,
  wish,
} from './worker.js';

/** One move by compare-and-set: what it writes, and each way in which it is refused. */
export function moveContract(open: OpenLedgers): void {
  describe('a move', () => {
    const at = stage(open);
    const claimed = async () => found(await at.ada.claim(wish()), 'nothing').effect;

    it('to success keeps result and undo, ends the attempt and deletes what was sent', async () => {
      const effect = await claimed();
      const { frozenArgs, owner, ...kept } = effect;
      const undo = { undo: 'ready', tool: 'recall', strength: 'strong', validUntil: 9 } as const;
      const args = new Uint8Array([7]);
      at.clock.now += 40;
      const moved = await at.ledger.move(
        effect.key,
        { version: 1 },
        { ...succeeded('id 7'), undo: { ...undo, args } },
        { claimant: at.ada.claimant(), attempt: { id: 'ada-1', tries: 2, keyCarried: true } },
      );
      const expected = {
        ...kept,
        state: 'succeeded',
        result: result('id 7'),
        undo: { ...undo, args },
        settlement: { settled: 'open' },
        version: 2,
        endSeq: firstEndAfter(1),
        attempts: [
          {
            ...{ id: 'ada-1', startedAt: at.clock.now - 40, endedAt: at.clock.now },
            ...{ ended: 'succeeded', tries: 2, keyCarried: true },
          },
        ],
      };
      expect(moved).toEqual({ moved: expected });
      expect(await at.second.find({ key: effect.key })).toEqual([expected]);
    });

    it.each([
      ['failed', failed(), { failureKind: 'business_error' }],
      ['unknown', unknown(), { since: 5, reason: 'timed out' }],
    ])('to %s keeps what was sent', async (state, transition, detail) => {
      const effect = await claimed();
      const moved = movedEffect(await at.ada.move(effect, transition));
      const { frozenArgs } = effect;
      expect(moved).toMatchObject({
        state,
        ...detail,
        frozenArgs,
        version: 2,
        endSeq: firstEndAfter(1),
      });
      expect(await rowOf(at.second, effect.key)).toEqual(moved);
    });

    it('stores results that were not kept, and undos that there are none of', async () => {
      const effect = await claimed();
      const moved = movedEffect(
        await at.ada.move(effect, {
          to: 'succeeded',
          result: { kept: false, reason: 'too large', digest: 'd' },
          undo: { undo: 'invalid', reason: 'no order id' },
          evidence: { by: 'attempt' },
        }),
      );
      expect(moved).toMatchObject({ result: { kept: false }, undo: { undo: 'invalid' } });
      expect(await rowOf(at.second, effect.key)).toEqual(moved);
    });

    it('that ends an effect gives it a number between beginnings, in the order of the ends', async () => {
      const both = await Promise.all(
        [wish(), wish({ ordinal: 1 })].map((one) => at.ada.claim(one)),
      );
      const [first, second] = both.map((claim) => found(claim, 'nothing').effect);
      if (first === undefined || second === undefined) throw new Error('two were claimed');
      const short = movedEffect(await at.ada.move(second, succeeded()));
      const long = movedEffect(await at.ada.move(first, succeeded()));
      const later = found(await at.ada.claim(wish({ ordinal: 2 })), 'nothing').effect;
      const numbers = [first.startSeq, second.startSeq, short.endSeq, long.endSeq, later.startSeq];
      expect(numbers).toEqual([1, 2, firstEndAfter(2), expect.any(Number), 3]);
      expect(numbers.toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers);
      expect(await at.second.find({ runId: 'run-1' })).toEqual([long, short, later]);
    });

    it('ends the open attempt when none is named', async () => {
      const { key } = await claimed();
      const moved = movedEffect(await at.ledger.move(key, { version: 1 }, unknown()));
      expect(moved.attempts).toEqual([
        { id: 'ada-1', startedAt: at.clock.now, endedAt: at.clock.now, ended: 'unknown' },
      ]);
    });

    it('back to attempting begins another attempt, under the lease', async () => {
      const waits = await at.ada.doing(wish(), suspended);
      expect(waits).toMatchObject({ state: 'suspended', owner: at.ada.owner, version: 2 });
      expect(waits).not.toHaveProperty('endSeq');
      const moved = await at.bob.begin(waits, 'resumed');
      expect(moved).toEqual({
        moved: {
          ...waits,
          state: 'attempting',
          owner: at.bob.owner,
          version: 3,
          startSeq: 2,
          attempts: [
            { ...waits.attempts[0], ended: 'suspended', endedAt: at.clock.now },
            { id: 'bob-1', startedAt: at.clock.now },
          ],
        },
        epoch: 2,
      });
      expect(await at.ledger.find({ key: waits.key })).toEqual([movedEffect(moved)]);
    });

    it('may send again what is unknown, where the law allows it', async () => {
      const lost = await at.ada.doing(wish(), unknown());
      const { frozenArgs } = lost;
      const again = movedEffect(await at.ada.begin(lost, 'resend'));
      expect(again).toMatchObject({ state: 'attempting', frozenArgs, startSeq: 2 });
      expect(again.endSeq).toBe(lost.endSeq);
      expect(again).not.toHaveProperty('since');
      expect(movedEffect(await at.ada.move(again, succeeded()))).toMatchObject({
        endSeq: firstEndAfter(2),
      });
    });

    it('makes an id for an attempt that it begins, if none is named', async () => {
      const lost = await at.ada.doing(wish(), unknown());
      const moved = await at.ledger.move(
        lost.key,
        { version: 2 },
        { to: 'attempting', why: 'probe-absent', owner: at.ada.owner },
        { claimant: at.ada.claimant() },
      );
      const id = movedEffect(moved).attempts[1]?.id;
      expect(id).toMatch(/.{8}/);
      expect(await at.ledger.submitEvidence(lost.key, { id: `${id}` }, succeeded())).toHaveProperty(
        'moved',
      );
    });

    it('settles a success', async () => {
      const done = await at.ada.doing(wish(), succeeded());
      const settlement = { settled: 'manual', reason: 'no undo' } as const;
      const evidence = { by: 'undo' } as const;
      const moved = movedEffect(await at.ada.move(done, { to: 'settled', settlement, evidence }));
      expect(moved).toEqual({ ...done, settlement, version: 3 });
      expect(await rowOf(at.second, done.key)).toEqual(moved);
    });

    it('is refused for a missing row', async () => {
      const { key } = await claimed();
      const none = `${key.slice(1)}0` as typeof key;
      expect(await at.ledger.move(none, { version: 1 }, succeeded())).toEqual({
        refused: 'missing',
      });
    });

    it('is refused for another version than the row has', async () => {
      const done = await at.ada.doing(wish(), succeeded());
      const stale = { ...done, version: 1 };
      expect(await at.ada.move(stale, unknown())).toEqual({ refused: 'version', effect: done });
    });

    it('is refused when the law forbids it', async () => {
      const done = await at.ada.doing(wish(), succeeded());
      expect(await at.ada.move(done, succeeded())).toEqual({ refused: 'illegal', effect: done });
      expect(await at.ada.begin(done, 'resend')).toEqual({ refused: 'illegal', effect: done });
    });

    it('to attempting is refused without somebody who attempts', async () => {
      const lost = await at.ada.doing(wish(), unknown());
      const resend = { to: 'attempting', why: 'resend', owner: at.ada.owner } as const;
      const refused = { refused: 'illegal', effect: lost };
      expect(await at.ledger.move(lost.key, lost, resend)).toEqual(refused);
      const claimant = at.bob.claimant();
      expect(await at.ledger.move(lost.key, lost, resend, { claimant })).toEqual(refused);
    });

    it('is refused when it names an attempt of another row', async () => {
      const effect = await claimed();
      const attempt = { id: 'ada-9' };
      expect(await at.ledger.move(effect.key, effect, succeeded(), { attempt })).toEqual({
        refused: 'illegal',
        effect,
      });
    });

    it('is refused for a stale epoch', async () => {
      const effect = await claimed();
      at.clock.now += leaseMs;
      found(await at.bob.claim(wish({ ordinal: 1 })), 'nothing');
      expect(await at.ada.move(effect, succeeded())).toEqual({ refused: 'stale-epoch', effect });
    });

    it('to attempting is refused while another holds the run', async () => {
      const lost = await at.ada.doing(wish(), unknown());
      await at.ada.claim(wish({ ordinal: 1 }));
      const lease = { holder: at.ada.owner, untilMs: at.clock.now + leaseMs };
      expect(await at.bob.begin(lost, 'resend')).toEqual({ refused: 'held', lease });
      expect(await at.bob.begin(lost, 'resend', { gone: 'ada' })).toHaveProperty('epoch', 2);
    });
  });
}
