import { describe, expect, it } from 'vitest';
import type { Claim } from '../store.js';
import { found, type OpenLedgers, stage } from './store-fixture.js';
import { movedEffect, rowOf, succeeded, unknown, wish, worker } from './worker.js';

/** All orders of two sequences of steps, each kept in its own order. */
function interleavings<T>(a: readonly T[], b: readonly T[]): (readonly T[])[] {
  const [[firstA, ...restA], [firstB, ...restB]] = [a, b];
  if (firstA === undefined || firstB === undefined) return [[...a, ...b]];
  return [
    ...interleavings(restA, b).map((rest) => [firstA, ...rest]),
    ...interleavings(a, restB).map((rest) => [firstB, ...rest]),
  ];
}

/** Two at once: whoever is first is right, and the other learns it. */
export function raceContract(open: OpenLedgers): void {
  describe('two at once', () => {
    const at = stage(open);
    const steps = ['ada reads', 'ada settles'];
    const theirs = ['bob reads', 'bob settles'];

    it.each(interleavings(steps, theirs).map((order) => [order]))(
      'settle one unknown row once, and the loser adopts the winner’s result (DU-19): %s',
      async (order) => {
        const { key } = await at.ada.doing(wish(), unknown());
        const seen: Record<string, Awaited<ReturnType<typeof rowOf>>> = {};
        const results: Record<string, unknown> = {};
        for (const step of order) {
          const [who, what] = step.split(' ') as ['ada' | 'bob', string];
          const ledger = who === 'ada' ? at.ledger : at.second;
          const read = seen[who];
          if (what === 'reads' || read === undefined) {
            seen[who] = await rowOf(ledger, key);
            continue;
          }
          const probe = { ...succeeded(who), evidence: { by: 'probe' } } as const;
          const moved = await ledger.move(key, read, probe);
          results[who] = 'moved' in moved ? moved.moved : 'effect' in moved && moved.effect;
        }
        const row = await rowOf(at.ledger, key);
        expect(row.version).toBe(3);
        expect(results).toEqual({ ada: row, bob: row });
      },
    );

    it.each(
      interleavings(['ada claims', 'ada settles'], ['bob claims', 'bob settles']).map((order) => [
        order,
      ]),
    )('work on one wish, and it is done once (DU-19): %s', async (order) => {
      const done: string[] = [];
      const claims: Record<string, Claim> = {};
      for (const step of order) {
        const [who, what] = step.split(' ') as ['ada' | 'bob', string];
        if (what === 'claims') {
          claims[who] = await at[who].claim(wish());
          continue;
        }
        const claim = claims[who];
        if (claim?.found !== 'nothing') continue;
        done.push(who);
        movedEffect(await at[who].move(claim.effect, succeeded(who)));
      }
      expect(done).toEqual([order[0]?.split(' ')[0]]);
      expect(await at.ledger.find({ runId: 'run-1' })).toHaveLength(1);
      found(await at.ada.claim(wish()), 'done');
      found(await at.bob.claim(wish()), 'done');
    });

    it('or fifty: one of fifty claims of one key finds nothing, all others find it open (DU-21)', async () => {
      const workers = Array.from({ length: 50 }, (_, i) =>
        worker(i % 2 === 0 ? at.ledger : at.second, `worker-${i}`),
      );
      const claims = await Promise.all(workers.map((one) => one.claim(wish())));
      const winners = claims.flatMap((claim, i) => (claim.found === 'nothing' ? [i] : []));
      expect(winners).toHaveLength(1);
      expect(claims.filter((claim) => claim.found === 'open')).toHaveLength(49);

      const winner = workers[winners[0] ?? -1];
      const [row] = await at.ledger.find({ runId: 'run-1' });
      if (winner === undefined || row === undefined) throw new Error('nobody won');
      const effect = movedEffect(await winner.move(row, succeeded('once')));
      const answers = await Promise.all(workers.map((one) => one.claim(wish())));
      expect(answers).toEqual(workers.map(() => ({ found: 'done', effect })));
    });
  });
}
