import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Declaration, Effect, EffectKey } from './effect.js';
import { memoryLedger } from './memory-ledger.js';
import { sqliteLedger } from './sqlite/sqlite-ledger.js';
import type { LedgerStore, Moved } from './store.js';
import { drivers, newFolder } from './testing/sqlite-file.js';
import {
  failed,
  succeeded,
  suspended,
  unknown,
  type Worker,
  wish,
  worker,
} from './testing/worker.js';

const LEASE_MS = 90;
const set = { tool: 'set', class: 'idempotent-write', instance: 'thing' } as const;
/** What the model may want: irreversible, with a key that the service knows, across runs, without an entry. */
const wishes: readonly Partial<Declaration>[] = [
  { identity: 'mail a' },
  { identity: 'mail b' },
  { ...set, identity: 'set a' },
  { ...set, identity: 'set b' },
  { tool: 'order', identity: 'order a', scope: 'business' },
  { tool: 'odd', identity: 'odd a', class: 'undeclared' },
];
const runs = [
  { runId: 'run-1', intentId: 'intent-1' },
  { runId: 'run-2', intentId: 'intent-1' },
  { runId: 'run-3', intentId: 'intent-2' },
] as const;

const nth = fc.nat(11);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      who: nth,
      what: nth,
      run: nth,
      again: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('act' as const), which: nth, refused: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('settle' as const), which: nth, lost: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('suspend' as const), which: nth }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('recover' as const), who: nth, row: nth }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('undo' as const), row: nth, works: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('die' as const), who: nth }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(20, 50, 100) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Process {
  readonly id: string;
  readonly does: Worker;
  readonly ledger: LedgerStore;
}
/** The right to make one attempt, as its process believes. */
interface Grant {
  readonly by: Process;
  readonly effect: Effect;
  readonly at: number;
  is: 'to be sent' | 'sent' | 'over';
  acted: boolean;
}

/** Processes that share a ledger, and the world in which their effects take place. */
class World {
  readonly #effects = new Map<EffectKey, number>();
  readonly #wantedAgain = new Set<EffectKey>();
  readonly #dead: string[] = [];
  readonly #grants: Grant[] = [];
  readonly #processes: Process[];
  #born = 0;
  now = 1_000;

  constructor(private readonly handles: readonly [LedgerStore, LedgerStore]) {
    this.#processes = [this.#begin(), this.#begin(), this.#begin()];
  }

  #begin(): Process {
    const [ledger, id] = [this.handles[this.#born % 2 === 0 ? 0 : 1], `process ${this.#born}`];
    this.#born += 1;
    return { id, ledger, does: worker(ledger, id) };
  }

  async take(next: Step): Promise<void> {
    switch (next.do) {
      case 'claim':
        return this.#claim(this.#process(next.who), next.what, next.run, next.again);
      case 'act':
        return this.#act(this.#open(next.which), next.refused);
      case 'settle':
        return this.#settle(this.#open(next.which), next.lost);
      case 'suspend':
        return this.#suspend(this.#open(next.which));
      case 'recover':
        return this.#recover(this.#process(next.who), await this.#row(next.row));
      case 'undo':
        return this.#undo(await this.#row(next.row), next.works);
      case 'die': {
        const { id } = this.#process(next.who);
        this.#dead.push(id);
        for (const grant of this.#grants) if (grant.by.id === id) grant.is = 'over';
        this.#processes[next.who % 3] = this.#begin();
        return;
      }
      case 'wait':
        this.now += next.ms;
    }
  }

  async #claim(by: Process, what: number, run: number, again: boolean): Promise<void> {
    const wanted = wish({ ...wishes[what % wishes.length], ...runs[run % runs.length] });
    const standing = (await this.rows()).filter(({ tool }) => tool === wanted.tool).at(-1);
    const againAfter = again ? standing?.key : undefined;
    const claim = await by.does.claim(
      { ...wanted, ...(againAfter === undefined ? {} : { againAfter }) },
      this.#lease(),
    );
    if (claim.found === 'done') expect(this.#effects.get(claim.effect.key)).toBe(1);
    if (claim.found !== 'nothing' && claim.found !== 'failed') return;
    if (againAfter !== undefined) this.#wantedAgain.add(againAfter);
    this.#grant(by, claim.effect);
  }

  #lease() {
    const gone = this.#dead.at(-1);
    return { leaseMs: LEASE_MS, ...(gone === undefined ? {} : { gone }) };
  }

  /** Whoever is let through is alone with its key, and in its run. */
  #grant(by: Process, effect: Effect): void {
    const others = this.#grants.filter(({ is }) => is !== 'over');
    const ofKey = others.filter((other) => other.effect.key === effect.key);
    if (effect.class !== 'idempotent-write') {
      expect(ofKey.filter(({ is }) => is === 'to be sent')).toEqual([]);
      expect(this.#effects.get(effect.key) ?? 0).toBe(0);
    }
    const inRun = others.filter((other) => other.effect.runId === effect.runId);
    for (const other of inRun.filter((one) => one.by.id !== by.id)) {
      expect(this.now - other.at).toBeGreaterThanOrEqual((LEASE_MS * 2) / 3);
    }
    this.#grants.push({ by, effect, at: this.now, is: 'to be sent', acted: false });
  }

  /** A service that knows keys does nothing twice; the others do what they are asked. */
  #act(grant: Grant | undefined, refused: boolean): void {
    if (grant?.is !== 'to be sent') return;
    grant.is = 'sent';
    if (refused) return;
    grant.acted = true;
    const { key, class: effectClass } = grant.effect;
    const done = this.#effects.get(key) ?? 0;
    if (done === 0 || effectClass !== 'idempotent-write') this.#effects.set(key, done + 1);
  }

  /** The process tells what it knows: by a move, or as evidence where the run is in other hands by now. */
  async #settle(grant: Grant | undefined, lost: boolean): Promise<void> {
    if (grant === undefined) return;
    const { by, effect, is, acted } = grant;
    const truth = acted ? succeeded() : failed();
    const known = is === 'sent' && lost ? unknown(this.now) : truth;
    grant.is = 'over';
    const moved = await by.does.move(effect, known);
    const id = effect.attempts.at(-1)?.id ?? '';
    if ('refused' in moved) await by.ledger.submitEvidence(effect.key, { id }, known);
  }

  async #suspend(grant: Grant | undefined): Promise<void> {
    if (grant?.is !== 'to be sent') return;
    grant.is = 'over';
    await grant.by.does.move(grant.effect, suspended);
  }

  async #recover(by: Process, row: Effect | undefined): Promise<void> {
    if (row?.state === 'suspended')
      this.#begun(by, await by.does.begin(row, 'resumed', this.#lease()));
    // Nobody can be asked about a tool without an entry.
    if (row?.state !== 'unknown' || row.class === 'undeclared') return;
    if (row.class === 'idempotent-write') {
      this.#begun(by, await by.does.begin(row, 'resend', this.#lease()));
      return;
    }
    const mayStillAct = this.#grants.some(
      ({ is, effect }) => is === 'to be sent' && effect.key === row.key,
    );
    if (mayStillAct) return;
    const evidence = { by: 'probe' } as const;
    if (this.#effects.has(row.key))
      await by.ledger.move(row.key, row, { ...succeeded(), evidence });
    else this.#begun(by, await by.does.begin(row, 'probe-absent', this.#lease()));
  }

  #begun(by: Process, moved: Moved): void {
    if ('moved' in moved) this.#grant(by, moved.moved);
  }

  async #undo(row: Effect | undefined, works: boolean): Promise<void> {
    if (row?.state !== 'succeeded') return;
    const evidence = { by: 'undo' } as const;
    const settlement = works
      ? ({
          settled: row.settlement.settled === 'open' ? 'compensating' : 'compensated',
          by: row.key,
        } as const)
      : ({ settled: 'manual', reason: 'it failed' } as const);
    await this.handles[0].move(row.key, row, { to: 'settled', settlement, evidence });
  }

  #process(which: number): Process {
    return this.#processes[which % 3] ?? this.#begin();
  }

  #open(which: number): Grant | undefined {
    const open = this.#grants.filter(({ is }) => is !== 'over');
    return open[which % Math.max(open.length, 1)];
  }

  async #row(which: number): Promise<Effect | undefined> {
    const rows = await this.rows();
    return rows[which % Math.max(rows.length, 1)];
  }

  async rows(): Promise<readonly Effect[]> {
    const found = await Promise.all(runs.map(({ runId }) => this.handles[1].find({ runId })));
    return found.flat();
  }

  /** What must hold of ledger and world, after whatever happened. */
  async check(): Promise<void> {
    const rows = await this.rows();
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    for (const [, times] of this.#effects) expect(times).toBe(1);
    for (const { key, state } of rows) {
      if (state === 'succeeded') expect(this.#effects.get(key)).toBe(1);
      if (state === 'failed') expect(this.#effects.has(key)).toBe(false);
    }
    const byWish = new Map<string, Effect[]>();
    for (const row of rows) {
      const wanted = row.scope === 'intent' ? `${row.wish} ${row.intentId}` : row.wish;
      byWish.set(wanted, [...(byWish.get(wanted) ?? []), row]);
    }
    for (const [, generations] of byWish) this.#checkGenerations(generations);
  }

  /** No gaps, and none before the one ahead of it is over: undone, overwritten, or wanted again by a person. */
  #checkGenerations(rows: readonly Effect[]): void {
    const inOrder = [...rows].sort((a, b) => a.generation - b.generation);
    expect(inOrder.map(({ generation }) => generation)).toEqual(inOrder.map((_, i) => i));
    for (const row of inOrder.slice(0, -1)) {
      if (this.#wantedAgain.has(row.key)) continue;
      const isUndone = row.state === 'succeeded' && row.settlement.settled === 'compensated';
      if (row.class === 'irreversible') expect(isUndone).toBe(true);
      else
        expect(
          row.class === 'undeclared' ? ['succeeded', 'unknown', 'failed'] : ['succeeded'],
        ).toContain(row.state);
    }
  }

  /** What the steps led to, so that a test can tell whether they led anywhere. */
  async story(): Promise<readonly string[]> {
    const rows = await this.rows();
    return [
      ...rows.map(({ state }) => state),
      ...(rows.some(({ generation }) => generation > 1) ? ['third generation'] : []),
      ...(rows.some(({ attempts }) => attempts.length > 2) ? ['third attempt'] : []),
      ...(this.#effects.size > 2 ? ['third effect'] : []),
    ];
  }
}

async function holds(
  open: (now: () => number) => { handles: readonly [LedgerStore, LedgerStore]; close: () => void },
  numRuns: number,
): Promise<void> {
  const told = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
      const clock = { world: undefined as World | undefined };
      const { handles, close } = open(() => clock.world?.now ?? 0);
      try {
        const world = new World(handles);
        clock.world = world;
        for (const next of steps) {
          await world.take(next);
          await world.check();
        }
        for (const part of await world.story()) told.add(part);
      } finally {
        for (const handle of handles) await handle.close();
        close();
      }
    }),
    { seed: 2026, numRuns },
  );
  expect([...told].sort()).toEqual([
    ...['attempting', 'failed', 'succeeded', 'suspended'],
    ...['third attempt', 'third effect', 'third generation', 'unknown'],
  ]);
}

describe('one key has at most one effect, whatever processes do, lose and learn later', () => {
  it('in the memory ledger', async () => {
    await holds((now) => {
      const ledger = memoryLedger({ now });
      return { handles: [ledger, ledger], close: () => {} };
    }, 250);
  }, 60_000);

  const driver = drivers.find(({ open }) => open !== undefined);
  it.skipIf(driver === undefined)(
    `in SQLite on ${driver?.name}, through two handles`,
    async () => {
      await holds((now) => {
        if (driver?.open === undefined) throw new Error('no driver');
        const { folder, remove } = newFolder();
        const file = join(folder, 'ledger.db');
        const databases = [driver.open(file), driver.open(file)] as const;
        return {
          handles: [sqliteLedger(databases[0], { now }), sqliteLedger(databases[1], { now })],
          close() {
            for (const database of databases) database.close();
            remove();
          },
        };
      }, 60);
    },
    60_000,
  );
});
