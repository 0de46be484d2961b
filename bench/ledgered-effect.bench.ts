import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LedgerStore, ownerIdentity } from '@holdfast/effect-ledger';
import { type SqliteDatabase, sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import Database from 'libsql';
import { pairedRates, type Work } from './paired-rates.js';
import { type BenchResult, resultOf } from './result.js';

/** How many effects are under way at once in the concurrent case. */
const CONCURRENT = 50;

/**
 * A ledgered effect (claim, then settlement with its result) on SQLite with `synchronous=FULL` beside the
 * least that durability costs: one row, one commit, in the same kind of file.
 */
export async function ledgeredEffect(rounds: number): Promise<readonly BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  try {
    const raw = rawCommits(new Database(join(folder, 'raw.db')));
    const counted = countingCommits(new Database(join(folder, 'ledger.db')));
    const ledger = sqliteLedger(counted.database);
    const sequential = effects(ledger, 1);
    const concurrent = effects(ledger, CONCURRENT);

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
        { most: 1 },
      ),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Effects that succeed, each another wish, `width` at a time, in runs of a hundred. */
function effects(ledger: LedgerStore, width: number): Work {
  const owner = ownerIdentity(`bench ${width}`);
  const frozenArgs = new Uint8Array(200);
  const bytes = new Uint8Array(100);
  let made = 0;
  const one = async (): Promise<void> => {
    made += 1;
    const run = `${width}/${Math.floor(made / 100)}`;
    const attempt = { id: `attempt ${width}/${made}` };
    const claim = await ledger.claim(
      {
        tenant: 'bench',
        runId: `run ${run}`,
        intentId: `intent ${run}`,
        scope: 'intent',
        tool: 'send_mail',
        toolVersion: '1.0.0',
        class: 'irreversible',
        identity: JSON.stringify({ subject: `mail ${made}`, to: 'a@example.com' }),
        keyGiven: false,
        argsDigest: 'd'.repeat(64),
        ordinal: 0,
        frozenArgs,
        place: { callId: `call ${made}` },
      },
      { owner, leaseMs: 30_000, attemptId: attempt.id },
    );
    if (claim.found !== 'nothing') throw new Error(`a new wish found ${claim.found}`);
    const moved = await ledger.move(
      claim.effect.key,
      { version: claim.effect.version },
      {
        to: 'succeeded',
        result: { kept: true, type: 'json', bytes, digest: 'd'.repeat(64) },
        undo: { undo: 'none' },
        evidence: { by: 'attempt' },
      },
      { attempt },
    );
    if (!('moved' in moved)) throw new Error(`the settlement was refused: ${moved.refused}`);
  };
  return async (count) => {
    for (let begun = 0; begun < count; begun += width) {
      await Promise.all(Array.from({ length: Math.min(width, count - begun) }, one));
    }
  };
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
