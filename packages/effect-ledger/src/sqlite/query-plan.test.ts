import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drivers, newFolder } from '../testing/sqlite-file.js';
import { found } from '../testing/store-fixture.js';
import { failed, succeeded, wish, worker } from '../testing/worker.js';
import { listedTogether } from './schema.js';
import type { SqliteDatabase } from './sqlite-database.js';
import { sqliteLedger } from './sqlite-ledger.js';

/** Makes a ledger use every statement that it has. */
async function useAll(database: SqliteDatabase): Promise<void> {
  const ledger = sqliteLedger(database, { now: () => 1 });
  const ada = worker(ledger, 'ada');
  const set = (identity: string) => wish({ class: 'idempotent-write', tool: 'set', identity });
  const thread = { tenant: 'acme', threadId: 'thread-1' };
  const intent = { tenant: 'acme', intentId: 'intent-1' };
  await ledger.admit({
    ...{ ...thread, ...intent, runId: 'run-1' },
    ...{ inputId: 'i', inputDigest: 'd', registryDigest: 'r' },
  });
  await ada.doing(set('A'), succeeded());
  await ada.doing(set('A'), succeeded()).catch(() => 'folded');
  await ada.doing(wish(), failed());
  await ada.doing(wish(), failed());
  // As many as are entered into the index of the runs at once.
  const others = Array.from({ length: listedTogether }, (_, i) => wish({ ordinal: 3 + i }));
  await Promise.all(others.map((one) => ada.doing(one, succeeded())));
  found(await ada.claim(wish({ ordinal: 1 })), 'nothing');
  found(await worker(ledger, 'bob').claim(wish({ ordinal: 2 })), 'held');
  await ledger.renew('run-1', ada.claimant());
  await ledger.find({ runId: 'run-1' });
  await ledger.find(intent);
  await ledger.find({ ...thread, unfinished: true });
  await ledger.runs(thread);
  await ledger.runs(intent);
  const stamp = { threadId: 't', ns: '', id: 'c', ledgerId: 'l', runId: 'r', registryDigest: 'd' };
  await ledger.stamp({ ...stamp, intentId: 'i', seq: 1 });
  await ledger.stampOf(stamp);
  await ledger.decide({
    ...{ ...thread, runId: 'run-1', tool: 'set', argsDigest: 'd' },
    ...{ kind: 'approved', by: 'person' },
  });
  await ledger.decisions(thread);
  await ledger.endRun('run-1', 'complete');
  await ledger.close();
}

for (const { name, open } of drivers) {
  it.skipIf(open === undefined)(`no statement on ${name} reads a whole table`, async () => {
    if (open === undefined) throw new Error(`${name} does not work here`);
    const { folder, remove } = newFolder();
    const database = open(join(folder, 'ledger.db'));
    const prepared = new Set<string>();
    await useAll({
      exec: (sql) => database.exec(sql),
      prepare(sql) {
        if (/\b(effect|run|lease|attempt|move|stamp|decision)\b/.test(sql)) prepared.add(sql);
        return database.prepare(sql);
      },
    });
    const plans = [...prepared].map((sql) => {
      const values = Array.from({ length: sql.split('?').length - 1 }, () => 1);
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
      return { sql, plan: (plan as { detail: string }[]).map((step) => step.detail) };
    });
    // All that there are, so that no new one goes unseen.
    expect(plans).toHaveLength(30);
    expect(
      plans.filter(({ plan }) => plan.some((step) => /^SCAN (?!CONSTANT)/.test(step))),
    ).toEqual([]);
    const planOf = (start: string) => plans.find(({ sql }) => sql.includes(start))?.plan.join();
    expect(planOf('repeats = ?')).toContain('effect_repeated');
    expect(planOf('lease.intent_id = ?')).toMatch(/lease_by_intent .*listed_effect .*rowid>/);
    expect(planOf('instance = ? AND seq > ?')).toMatch(/effect_by_instance .*rowid>\?/);
    expect(planOf('INTO listed_effect')).toContain('(rowid>? AND rowid<?)');
    expect(planOf('SELECT max(seq)')).toContain('SEARCH effect');
    expect(planOf('intent_id <> ?')).toContain('effect_unfinished');
    expect(planOf('FROM decision WHERE tenant = ? AND run_id')).toContain('decision_by_run');
    expect(planOf('FROM decision WHERE tenant = ? AND thread_id')).toContain('decision_by_thread');
    expect(planOf('thread_id = ? AND finished')).toContain('effect_unfinished');
    database.close();
    remove();
  });
}
