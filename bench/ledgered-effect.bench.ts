import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGuard, type Guard } from '@holdfast/call-guard';
import { type SqliteDatabase, sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { defineRegistry, defineTool } from '@holdfast/tool-registry';
import Database from 'libsql';
import { z } from 'zod';
import { pairedRates, type Work } from './paired-rates.js';
import { type BenchResult, resultOf } from './result.js';

const sendMail = defineTool({
  name: 'send_mail',
  summary: 'Send one e-mail.',
  input: z.object({ to: z.email(), subject: z.string(), body: z.string() }),
  idempotency: { class: 'irreversible' },
  compensation: { tool: 'none', avoidBy: 'accept', reason: 'a mail cannot be unsent' },
  resourceGroup: 'mail',
  owner: 'bench',
});
const registry = defineRegistry({ name: 'bench', tools: [sendMail], resourceGroups: { mail: {} } });

/** How many effects are under way at once in the concurrent case. */
const CONCURRENT = 50;

/**
 * A whole guarded effect (validation, key, claim, tool, settlement) on SQLite with `synchronous=FULL`
 * beside the least that durability costs: one row, one commit, in the same kind of file.
 */
export async function ledgeredEffect(rounds: number): Promise<readonly BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  try {
    const raw = rawCommits(new Database(join(folder, 'raw.db')));
    const counted = countingCommits(new Database(join(folder, 'ledger.db')));
    const ledger = sqliteLedger(counted.database);
    const guard = createGuard({ registry, ledger });
    const sequential = effects(guard, 1);
    const concurrent = effects(guard, CONCURRENT);

    const toRaw = await pairedRates(sequential, raw, { rounds, count: 400 });
    const toSequential = await pairedRates(concurrent, sequential, { rounds, count: 500 });
    counted.reset();
    await sequential(100);
    const commits = counted.commits() / 100;
    await ledger.close();
    return [
      resultOf(
        {
          name: 'ledgered effect, one at a time',
          ours: toRaw.ours,
          peer: toRaw.peer,
          peerName: 'raw single-row commits, SQLite FULL',
          unit: 'per second',
        },
        { least: 0.4 },
        toRaw.ratio,
      ),
      resultOf(
        {
          name: `ledgered effect, ${CONCURRENT} at once`,
          ours: toSequential.ours,
          peer: toSequential.peer,
          peerName: 'the same, one at a time',
          unit: 'per second',
        },
        { least: 3 },
        toSequential.ratio,
      ),
      resultOf(
        {
          name: 'commits of a ledgered effect',
          ours: commits,
          peer: 2,
          peerName: 'claim and settlement',
          unit: 'commits per effect',
        },
        // The run's admission is one more, once.
        { most: 1.01 },
      ),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Guarded effects, each another wish, `width` at a time. */
function effects(guard: Guard<typeof registry>, width: number): Work {
  let made = 0;
  const one = async (): Promise<void> => {
    made += 1;
    const args = { to: 'a@example.com', subject: `mail ${width}/${made}`, body: 'x'.repeat(120) };
    const request = { tool: 'send_mail' as const, args, callId: `call_${width}_${made}` };
    const answer = await guard.call(request, async () => ({ sent: true }));
    if (!answer.ok) throw new Error(answer.failure.forModel);
  };
  return (count) =>
    guard.inRun({ intentId: `bench-${width}-${made}` }, async () => {
      for (let begun = 0; begun < count; begun += width) {
        await Promise.all(Array.from({ length: Math.min(width, count - begun) }, one));
      }
    });
}

function rawCommits(database: SqliteDatabase): Work {
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;');
  database.exec('CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO row (text) VALUES (?)');
  return async (count) => {
    for (let made = 0; made < count; made += 1) insert.run('x'.repeat(200));
  };
}

function countingCommits(database: SqliteDatabase): {
  readonly database: SqliteDatabase;
  commits(): number;
  reset(): void;
} {
  let commits = 0;
  const count = (sql: string): void => {
    if (/^\s*(commit|end)\b/i.test(sql)) commits += 1;
  };
  return {
    database: {
      exec(sql) {
        count(sql);
        return database.exec(sql);
      },
      prepare(sql) {
        const statement = database.prepare(sql);
        return {
          run(...given) {
            count(sql);
            return statement.run(...given);
          },
          get: (...given) => statement.get(...given),
          all: (...given) => statement.all(...given),
        };
      },
    },
    commits: () => commits,
    reset: () => {
      commits = 0;
    },
  };
}
