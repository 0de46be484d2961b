import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerStore } from '../store.js';
import { drivers, newFile } from '../testing/sqlite-file.js';
import { rowOf, succeeded, type Worker, wish, worker } from '../testing/worker.js';
import { sqliteLedger } from './sqlite-ledger.js';

for (const driver of drivers) {
  describe.skipIf(driver.open === undefined)(`the row of an effect on ${driver.name}`, () => {
    let ledger: LedgerStore;
    let ada: Worker;
    let now: number;
    let remove: () => void;

    beforeEach(() => {
      const file = newFile(driver);
      ({ remove } = file);
      now = 1000;
      ledger = sqliteLedger(file.handles[0], { now: () => now });
      ada = worker(ledger, 'ada');
    });
    afterEach(() => remove());

    it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
      'is not written by a clock that says %d, and can still be read',
      async (broken) => {
        const claim = await ada.claim(wish());
        if (claim.found !== 'nothing') throw new Error(claim.found);
        now = broken;
        await expect(ada.move(claim.effect, succeeded())).rejects.toMatchObject({
          code: 'failed',
          message: expect.stringMatching(`given ${broken} as .*clock.*Nothing was written`),
        });
        await expect(ada.claim(wish({ ordinal: 1 }))).rejects.toMatchObject({ code: 'failed' });
        expect(await ledger.find({ runId: 'run-1' })).toEqual([claim.effect]);
        now = 1001;
        expect(await ada.move(claim.effect, succeeded())).toMatchObject({
          moved: { attempts: [{ startedAt: 1000, endedAt: 1001, ended: 'succeeded' }] },
        });
      },
    );

    it('is not written with an ordinal that is no number', async () => {
      await expect(ada.claim(wish({ ordinal: Number.NaN }))).rejects.toMatchObject({
        code: 'failed',
        message: expect.stringContaining('ordinal'),
      });
      expect(await ledger.find({ runId: 'run-1' })).toEqual([]);
    });

    it.each([
      '',
      '"',
      '\\',
      '\\u0041',
      '\0',
      '\n',
      '\u2028',
      '\ud800',
      '\udc00 half',
      '😀',
      'null',
    ])('holds the texts that it was given: %j', async (text) => {
      const declaration = wish({ toolVersion: text, argsDigest: text, tool: text });
      const claim = await ada.claim({ ...declaration, place: { threadId: text, messageId: text } });
      if (claim.found !== 'nothing') throw new Error(claim.found);
      const { effect } = claim;
      expect(await rowOf(ledger, effect.key)).toEqual(effect);
      const moved = await ledger.move(
        effect.key,
        { version: 1 },
        {
          to: 'succeeded',
          result: { kept: true, type: text, bytes: new Uint8Array(), digest: text },
          undo: { undo: 'invalid', reason: text },
          evidence: { by: 'attempt', note: text },
        },
        { attempt: { id: ada.attemptId(), tries: 1.5, keyCarried: false } },
      );
      expect(await rowOf(ledger, effect.key)).toEqual('moved' in moved && moved.moved);
    });
  });
}
