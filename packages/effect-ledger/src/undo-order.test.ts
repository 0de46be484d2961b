import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effect } from './effect.js';
import { memoryLedger } from './memory-ledger.js';
import { movedEffect, succeeded, unknown, wish, worker } from './testing/worker.js';
import type { Transition } from './transitions.js';
import { undoOrder } from './undo-order.js';

const undoable: Transition = {
  ...succeeded(),
  undo: { undo: 'ready', tool: 'undo', args: new Uint8Array(), strength: 'strong', validUntil: 0 },
};

/** A plan is an effect, or plans one after the other, or plans side by side. */
type Plan = 'effect' | { readonly order: 'sequential' | 'parallel'; readonly parts: Plan[] };
const { plan } = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant<Plan>('effect'),
    fc.record({
      order: fc.constantFrom('sequential' as const, 'parallel' as const),
      parts: fc.array(tie('plan'), { minLength: 1, maxLength: 4 }),
    }),
  ),
}));

/** The identities of the effects of a plan, with every pair of which one must come before the other. */
function laidOut(of: Plan): { readonly ids: string[]; readonly before: [string, string][] } {
  let count = 0;
  const lay = (part: Plan): { ids: string[]; before: [string, string][] } => {
    if (part === 'effect') return { ids: [`effect ${count++}`], before: [] };
    const parts = part.parts.map(lay);
    const before = parts.flatMap((one) => one.before);
    if (part.order === 'sequential') {
      parts.forEach((earlier, i) => {
        for (const later of parts.slice(i + 1)) {
          before.push(
            ...earlier.ids.flatMap((a) => later.ids.map((b): [string, string] => [a, b])),
          );
        }
      });
    }
    return { ids: parts.flatMap((one) => one.ids), before };
  };
  return lay(of);
}

/** Runs a plan on a ledger: at each step, chance picks among what may begin or end now. */
async function run(of: Plan, pick: (below: number) => number): Promise<readonly Effect[]> {
  const { ids, before } = laidOut(of);
  const ledger = memoryLedger();
  const ada = worker(ledger, 'ada');
  const waiting = new Set(ids);
  const running = new Map<string, Effect>();
  const done = new Set<string>();
  while (done.size < ids.length) {
    const ready = [...waiting].filter((id) => before.every(([a, b]) => b !== id || done.has(a)));
    const choices = [...ready, ...running.keys()];
    const id = choices[pick(choices.length)] ?? choices[0] ?? '';
    const effect = running.get(id);
    if (effect === undefined) {
      const claim = await ada.claim(wish({ identity: id, tool: id }));
      if (claim.found === 'nothing') running.set(id, claim.effect);
      waiting.delete(id);
    } else {
      movedEffect(await ada.move(effect, undoable));
      running.delete(id);
      done.add(id);
    }
  }
  return ledger.find({ runId: 'run-1' });
}

describe('the undo order', () => {
  it('is strictly the reverse of what happened before what, in parallel branches too (DU-47)', async () => {
    const chance = fc.infiniteStream(fc.nat({ max: 1000 }));
    const shuffled = (effects: readonly Effect[], random: number) =>
      [...effects].sort(
        (a, b) => ((a.startSeq * 7919 + random) % 31) - ((b.startSeq * 7919 + random) % 31),
      );
    await fc.assert(
      fc.asyncProperty(plan, chance, fc.nat(), async (of, stream, random) => {
        const effects = await run(of, (below) => (stream.next().value ?? 0) % Math.max(below, 1));
        const { steps, unknown: lost } = undoOrder(shuffled(effects, random));
        const undone = steps.map((effect) => effect.tool);
        const { ids, before } = laidOut(of);
        expect([...undone].sort()).toEqual([...ids].sort());
        expect(lost).toEqual([]);
        for (const [a, b] of before) expect(undone.indexOf(b)).toBeLessThan(undone.indexOf(a));
      }),
      { seed: 31 },
    );
  });

  it('begins with what ended last, where two were side by side', async () => {
    const ledger = memoryLedger();
    const ada = worker(ledger, 'ada');
    const [long, short] = [await ada.claim(wish()), await ada.claim(wish({ ordinal: 1 }))];
    if (long.found !== 'nothing' || short.found !== 'nothing') throw new Error('new');
    const second = movedEffect(await ada.move(short.effect, undoable));
    const first = movedEffect(await ada.move(long.effect, undoable));
    expect(undoOrder([first, second]).steps).toEqual([first, second]);
  });

  it('has what can be taken back, the unknown apart, and nothing else', async () => {
    const ledger = memoryLedger();
    const ada = worker(ledger, 'ada');
    const does = (tool: string, transition: Transition) => ada.doing(wish({ tool }), transition);
    const first = await does('first', undoable);
    const lost = await does('lost', unknown());
    await does('no undo', succeeded());
    await does('not done', { to: 'failed', failureKind: 'x', evidence: { by: 'attempt' } });
    await does('waits', { to: 'suspended' });
    const settled = await does('settled', undoable);
    const settlement = { settled: 'manual', reason: 'window over' } as const;
    await ada.move(settled, { to: 'settled', settlement, evidence: { by: 'undo' } });
    const second = await does('second', undoable);
    const lostToo = await does('lost too', unknown());
    await ada.claim(wish({ tool: 'running' }));
    expect(undoOrder(await ledger.find({ runId: 'run-1' }))).toEqual({
      steps: [second, first],
      unknown: [lostToo, lost],
    });
  });
});
