/** The ledger is away, late, full, damaged or read-only: what is typed, and what is not done. */
import { chmodSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLedgerError, type LedgerStore } from '@holdfast/effect-ledger';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { isSetupError } from '@holdfast/tool-registry';
import { HumanMessage } from '@langchain/core/messages';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentKinds } from '../support/agents.js';
import { failsToSettle } from '../support/failing-ledger.js';
import { never, until } from '../support/gate.js';
import { answerTo, asked, failureIn, onThread, scene } from '../support/scene.js';
import { asksFor, says } from '../support/scripted-model.js';

const charge = { orderId: 'o1', amount: 5 };
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-cases-'));
  file = join(folder, 'ledger.db');
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true, force: true });
});

describe.each(agentKinds)('$name', (kind) => {
  it('DU-23: an effect whose result cannot be written down is written down again, not done again', async () => {
    let ledger: (LedgerStore & { readonly failed: number }) | undefined;
    const { world, rows, process } = scene({
      wrap: (inner) => {
        ledger = failsToSettle(inner, 3);
        return ledger;
      },
    });
    const { guard, agent } = process(kind, [asksFor('charge', charge, 'c1'), says('Charged.')]);
    const { report } = await guard.run(agent, asked('Charge it.'), onThread);
    expect(ledger?.failed).toBe(3);
    expect(world.count('charge')).toBe(1);
    expect((await rows()).map(({ state }) => state)).toEqual(['succeeded']);
    expect(report.status).toBe('complete');
  });

  it('DU-23: where the process dies before that, the other side is asked', async () => {
    const { world, ledger, clock, guard: make, process } = scene();
    const stuck = make({
      ledger: { ...ledger, move: () => never, submitEvidence: () => never },
    });
    const a = process(kind, [asksFor('charge_traceably', { orderId: 'o1' }, 'c1')], {
      guard: stuck,
    });
    void a.agent.invoke(asked('Charge it.'), { ...onThread, durability: 'sync' });
    await until(() => stuck.counts().attempt_finished === 1);
    clock.pass(3_600_000);

    const b = process(kind, [says('Charged.')]);
    const { output, report } = await b.guard.resume(b.agent, onThread);
    expect(world.count('charge_traceably')).toBe(1);
    expect(answerTo('c1', output).text).toContain('{"receipt":1}');
    expect(b.guard.counts().effect_probed).toBe(1);
    expect(report.status).toBe('complete');
  });

  it('a re-sent message after a lost thread repeats nothing, on a ledger file', async () => {
    const ask = (): { messages: HumanMessage[] } => ({
      messages: [new HumanMessage('Charge it.')],
    });
    const first = sqliteLedger(file);
    const one = scene({ ledger: first });
    const a = one.process(kind, [
      asksFor('charge', charge, 'c1'),
      () => {
        throw new Error('the model is down');
      },
    ]);
    const broken = await a.guard.run(a.agent, ask(), onThread);
    expect(broken.report.status).toBe('partial');
    await first.close();

    const second = sqliteLedger(file);
    const two = scene({ ledger: second, world: one.world });
    const b = two.process(kind, [asksFor('charge', charge, 'fresh'), says('Charged.')]);
    const { output, report } = await b.guard.run(b.agent, ask(), onThread);
    expect(one.world.count('charge')).toBe(1);
    expect(answerTo('fresh', output).text).toContain('It was not done again.');
    expect(report.status).toBe('complete');
    await second.close();
  });

  it('a ledger that is full stops effects, and reads go on', async () => {
    const database = new Database(file);
    const ledger = sqliteLedger(database);
    const { world, process } = scene({ ledger });
    const { guard, agent } = process(kind, [
      asksFor('charge', { orderId: 'x'.repeat(200_000), amount: 5 }, 'c1'),
      asksFor('get_order', { orderId: 'o1' }, 'c2'),
      says('It cannot be done now.'),
    ]);
    // The run is accepted; for the large arguments of the effect there is no room left.
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as {
      page_count: number;
    };
    database.exec(`PRAGMA max_page_count = ${pages + 8}`);
    const { output, report } = await guard.run(agent, asked('Charge it.'), onThread);
    const answer = answerTo('c1', output);
    expect(failureIn(answer)).toBe('ledger_unavailable');
    expect(answer.artifact).toMatchObject({ effect: 'none', next: { by: 'guard' } });
    expect(answer.text).not.toContain(folder);
    expect(answerTo('c2', output).status).toBe('success');
    expect(world.deeds.map(({ tool }) => tool)).toEqual(['get_order']);
    expect(report.status).toBe('failed');
    await ledger.close();
    database.close();
  });

  it('a ledger that may only be read stops effects', async () => {
    const database = new Database(file);
    const ledger = sqliteLedger(database);
    const { world, process } = scene({ ledger });
    const { agent } = process(kind, [asksFor('charge', charge, 'c1'), says('It cannot be done.')]);
    database.exec('PRAGMA query_only = 1');
    const output = await agent.invoke(asked('Charge it.'), onThread);
    const answer = answerTo('c1', output);
    expect(failureIn(answer)).toBe('ledger_unavailable');
    expect(answer.text).not.toContain(folder);
    expect(world.deeds).toEqual([]);
    await ledger.close();
    database.close();
  });

  it('a ledger that cannot even be read stops effects, and reads go on', async () => {
    const ledger = sqliteLedger(file);
    const { world, process } = scene({ ledger });
    const { agent } = process(kind, [
      asksFor('charge', charge, 'c1'),
      asksFor('get_order', { orderId: 'o1' }, 'c2'),
      says('It cannot be done.'),
    ]);
    await ledger.close();
    const output = await agent.invoke(asked('Charge it.'), onThread);
    const answer = answerTo('c1', output);
    expect(failureIn(answer)).toBe('ledger_unavailable');
    expect(answer.text).not.toContain(folder);
    expect(answerTo('c2', output).text).toBe('{"receipt":1}');
    expect(world.deeds.map(({ tool }) => tool)).toEqual(['get_order']);
  });

  it('guard.run accepts nothing that it cannot write down', async () => {
    const ledger = sqliteLedger(file);
    const { world, process } = scene({ ledger });
    const { guard, agent, model } = process(kind, [says('Never said.')]);
    await ledger.close();
    const run = guard.run(agent, asked('Charge it.'), onThread);
    await expect(run).rejects.toSatisfy(isLedgerError);
    expect(model.told).toEqual([]);
    expect(world.deeds).toEqual([]);
  });
});

describe('a ledger that cannot be opened says why, before any effect', () => {
  const codeOf = (open: () => unknown): string => {
    try {
      open();
      return 'opened';
    } catch (error) {
      return isSetupError(error) ? error.code : String(error);
    }
  };

  it('when its folder does not exist', () => {
    expect(codeOf(() => sqliteLedger(join(folder, 'missing', 'ledger.db')))).toBe(
      'ledger_unreadable',
    );
  });

  it.skipIf(process.getuid?.() === 0)('when its file is read-only', async () => {
    await sqliteLedger(file).close();
    chmodSync(file, 0o444);
    expect(codeOf(() => sqliteLedger(file))).toBe('ledger_read_only');
  });

  it('when it is no database', () => {
    writeFileSync(file, 'This is a letter, and long enough to be read as a page.'.repeat(40));
    expect(codeOf(() => sqliteLedger(file))).toBe('ledger_unreadable');
  });

  it('when it is cut off', async () => {
    await sqliteLedger(file).close();
    // A driver may leave the log beside the file, from which the file would be whole again.
    for (const log of ['-wal', '-shm']) rmSync(`${file}${log}`, { force: true });
    truncateSync(file, 1_000);
    expect(codeOf(() => sqliteLedger(file))).toBe('ledger_unreadable');
  });

  it('when there is no driver', () => {
    const load: unknown = Reflect.get(Module, '_load');
    if (typeof load !== 'function') throw new TypeError('Node loads modules in another way');
    const without = (name: string, ...more: unknown[]): unknown => {
      if (['better-sqlite3', 'libsql', 'node:sqlite'].includes(name)) throw new Error('not there');
      return Reflect.apply(load, Module, [name, ...more]);
    };
    Reflect.set(Module, '_load', without);
    try {
      expect(codeOf(() => sqliteLedger(file))).toBe('driver_missing');
    } finally {
      Reflect.set(Module, '_load', load);
    }
  });

  it('when a newer version wrote it', async () => {
    await sqliteLedger(file).close();
    const database = new Database(file);
    database.exec(`UPDATE meta SET value = '1000' WHERE name = 'version'`);
    database.close();
    expect(codeOf(() => sqliteLedger(file))).toBe('ledger_newer');
  });
});
