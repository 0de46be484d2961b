import { join } from 'node:path';
import { type LedgerStore, ownerIdentity } from '@holdfast/effect-ledger';
import { type SqliteDatabase, sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import type Database from 'libsql';
import { countingCommits } from './counting-commits.js';
import { leastLedger } from './least-ledger.js';
import { medianOf, pairedRounds, type Round, type Work } from './paired-rounds.js';
import { type BenchResult, type Bound, resultOf } from './result.js';
import { type SqliteDriver, sqliteDrivers } from './sqlite-drivers.js';
import { inFolder } from './temporary-folder.js';

/** How many effects are under way at once in the concurrent case. */
const CONCURRENT = 50;

/** What a write-ahead log is filled by before it starts again; while its file grows, a commit takes twice as long. */
const ROUNDS_TO_FILL_THE_LOG = 3;

/** What is held on the driver that `sqliteLedger` takes first. */
const held: Bounds = { alone: { ratioAtLeast: 0.4 }, together: { ratioAtLeast: 3 } };
const forInformation: Bounds = { alone: 'none', together: 'none' };

interface Bounds {
  readonly alone: Bound;
  readonly together: Bound;
}

/**
 * A ledgered effect (claim, then settlement with its result) on SQLite with `synchronous=FULL` beside the
 * least that durability costs, which is one row and one commit in the same kind of file, and beside what
 * LangGraph writes for one step. All of it on each driver that works here.
 */
export async function ledgeredEffect(scale: number): Promise<readonly BenchResult[]> {
  const [first, ...others] = sqliteDrivers();
  const results = [...(await measured(first, scale, held))];
  for (const other of others) results.push(...(await measured(other, scale, forInformation)));
  return results;
}

function measured(
  driver: SqliteDriver,
  scale: number,
  bounds: Bounds,
): Promise<readonly BenchResult[]> {
  return inFolder(async (folder) => {
    const open = (file: string) => driver.open(join(folder, file));
    const raw = rawCommits(open('raw.db'));
    const checkpoints = checkpointWrites(open('checkpoints.db'));
    const least = leastLedger(open('least.db'));
    const ledger = sqliteLedger(open('ledger.db'));
    const sequential = effects(ledger, 1);

    const alone = await pairedRounds(
      { ours: sequential, peer: raw, checkpoints, least },
      { rounds: scale, count: 400, warmUp: ROUNDS_TO_FILL_THE_LOG },
    );
    const together = await pairedRounds(
      { ours: effects(ledger, CONCURRENT), peer: sequential },
      { rounds: scale, count: 500 },
    );
    await ledger.close();
    // On a file of its own, because to count takes time.
    const counted = countingCommits(open('counted.db'));
    const other = sqliteLedger(counted.database);
    const before = counted.commits();
    await effects(other, 1)(100);
    const commits = (counted.commits() - before) / 100;
    await other.close();
    return [
      rates(
        `ledgered effect on ${driver.name}, one at a time`,
        alone,
        'raw single-row commits, SQLite FULL',
        bounds.alone,
      ),
      rates(
        `the least that its rows and commits cost on ${driver.name}`,
        alone.map(({ least: ours, peer }) => ({ ours, peer })),
        'raw single-row commits, SQLite FULL',
        'none',
      ),
      rates(
        `ledgered effect on ${driver.name} beside a checkpoint`,
        alone.map(({ ours, checkpoints: peer }) => ({ ours, peer })),
        'SqliteSaver put and putWrites, SQLite NORMAL',
        'none',
      ),
      rates(
        `ledgered effect on ${driver.name}, ${CONCURRENT} at once`,
        together,
        'the same, one at a time',
        bounds.together,
      ),
      resultOf(
        {
          name: `commits of a ledgered effect on ${driver.name}`,
          ours: commits,
          peer: 2,
          peerName: 'claim and settlement',
          unit: 'commits per effect',
        },
        { ratioAtMost: 1 },
      ),
    ];
  });
}

/** Rounds as times per second. */
function rates(
  name: string,
  rounds: readonly Round<'ours' | 'peer'>[],
  peerName: string,
  bound: Bound,
): BenchResult {
  return resultOf(
    {
      name,
      ours: medianOf(rounds, ({ ours }) => 1e6 / ours),
      peer: medianOf(rounds, ({ peer }) => 1e6 / peer),
      peerName,
      unit: 'per second',
    },
    bound,
    medianOf(rounds, ({ ours, peer }) => peer / ours),
  );
}

/** Effects that succeed, each another wish, `width` at a time, in runs of a hundred. */
function effects(ledger: LedgerStore, width: number): Work {
  const owner = ownerIdentity(`bench ${width}`);
  const frozenArgs = new Uint8Array(200);
  const bytes = new Uint8Array(100);
  const digest = 'd'.repeat(64);
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
        identity: `{"subject":"mail ${made}","to":"a@example.com"}`,
        keyGiven: false,
        argsDigest: digest,
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
        result: { kept: true, type: 'json', bytes, digest },
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

/** What LangGraph writes for a step: the checkpoint before it, and what its task gave. */
function checkpointWrites(database: Database.Database): Work {
  const saver = new SqliteSaver(database);
  const metadata = { source: 'loop' as const, step: 1, parents: {} };
  let written = 0;
  return async (count) => {
    for (let made = 0; made < count; made += 1) {
      written += 1;
      const configurable = { thread_id: `thread ${Math.floor(written / 100)}`, checkpoint_ns: '' };
      const checkpoint = emptyCheckpoint();
      const stored = await saver.put({ configurable }, checkpoint, metadata);
      await saver.putWrites(stored, [['messages', 'x'.repeat(200)]], `task ${written}`);
    }
  };
}
