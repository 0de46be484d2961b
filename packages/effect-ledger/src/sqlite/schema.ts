import { randomUUID } from 'node:crypto';
import type { SetupError } from '@holdfast/tool-registry';
import { setupError } from './failure.js';
import type { SqliteDatabase } from './sqlite-database.js';

/** How many effects are entered into the index of the runs at once. Part of the schema: it stays as it is. */
export const listedTogether = 64;

/**
 * One step per schema version; a step that was released is never edited. Digests stand for identity
 * texts, which are not stored.
 */
const steps: readonly string[] = [
  `
  CREATE TABLE run (
    run_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, intent_id TEXT NOT NULL, thread_id TEXT,
    input_id TEXT NOT NULL, input_digest TEXT NOT NULL, input BLOB, registry_digest TEXT NOT NULL,
    admitted_at INTEGER NOT NULL, ended_at INTEGER, ended_status TEXT
  );
  CREATE INDEX run_by_intent ON run (tenant, intent_id);
  CREATE INDEX run_by_thread ON run (tenant, thread_id);

  -- What changes with the effects of a run, apart from the admission and its input. Runs that nobody
  -- admitted have it too; the run's tenant and intent are those of its effects, null before the first.
  CREATE TABLE lease (
    run_id TEXT PRIMARY KEY, tenant TEXT, intent_id TEXT, epoch INTEGER NOT NULL, holder TEXT,
    until_ms INTEGER NOT NULL, active_at INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX lease_by_intent ON lease (tenant, intent_id) WHERE tenant IS NOT NULL;

  -- Each index of every row is one more page to write for every effect, so the common ones have two: of
  -- the key and of the run. repeats is the key of generation 0, null in that row itself, which therefore
  -- stays as long as a later one. declared is what nothing is found by. finished is 1 for successes and
  -- failures of runs that have ended.
  CREATE TABLE effect (
    key TEXT PRIMARY KEY, repeats TEXT, generation INTEGER NOT NULL, tenant TEXT NOT NULL,
    run_id TEXT NOT NULL, intent_id TEXT NOT NULL, thread_id TEXT, tool TEXT NOT NULL,
    wish TEXT NOT NULL, instance TEXT, declared TEXT NOT NULL, before BLOB, frozen_args BLOB,
    finished INTEGER NOT NULL, state TEXT NOT NULL, owner_id TEXT, detail TEXT NOT NULL, result BLOB,
    undo_args BLOB, version INTEGER NOT NULL, start_seq INTEGER NOT NULL, end_seq INTEGER,
    attempts TEXT NOT NULL
  );
  CREATE INDEX effect_by_run ON effect (run_id);
  CREATE INDEX effect_repeated ON effect (repeats, generation) WHERE repeats IS NOT NULL;
  CREATE INDEX effect_by_instance ON effect (tenant, instance, start_seq)
    WHERE instance IS NOT NULL;
  CREATE INDEX effect_unfinished ON effect (tenant, thread_id, wish)
    WHERE thread_id IS NOT NULL AND finished = 0;

  -- seq is the ledger sequence. Whoever prunes keeps the newest line, or numbers would come twice.
  CREATE TABLE move (
    seq INTEGER PRIMARY KEY, key TEXT NOT NULL, from_state TEXT, to_state TEXT NOT NULL,
    actor TEXT, attempt TEXT, evidence TEXT NOT NULL, note TEXT, at INTEGER NOT NULL
  );

  CREATE TABLE stamp (
    thread_id TEXT NOT NULL, ns TEXT NOT NULL, id TEXT NOT NULL, ledger_id TEXT NOT NULL,
    intent_id TEXT NOT NULL, run_id TEXT NOT NULL, seq INTEGER NOT NULL,
    registry_digest TEXT NOT NULL, PRIMARY KEY (thread_id, ns, id)
  ) WITHOUT ROWID;
  `,
  `
  ALTER TABLE run ADD COLUMN limits TEXT;
  ALTER TABLE run ADD COLUMN mode TEXT;
  ALTER TABLE lease ADD COLUMN consumed_ms INTEGER NOT NULL DEFAULT 0;

  -- Every decision stays, so that it can be seen who decided what; which of them stands follows.
  CREATE TABLE decision (
    seq INTEGER PRIMARY KEY, tenant TEXT NOT NULL, run_id TEXT NOT NULL, thread_id TEXT,
    tool TEXT NOT NULL, args_digest TEXT NOT NULL, message_id TEXT, call_id TEXT, kind TEXT NOT NULL,
    decided_by TEXT NOT NULL, at INTEGER NOT NULL, expires_at INTEGER, note TEXT, edited_to TEXT
  );
  CREATE INDEX decision_by_run ON decision (tenant, run_id);
  CREATE INDEX decision_by_thread ON decision (tenant, thread_id) WHERE thread_id IS NOT NULL;
  `,
  `
  -- The log of an effect goes into its row, a line of JSON for each move, and the row's id is the number
  -- under which the effect was last begun: no page is written for the log or the sequence alone. Ends have
  -- numbers between those of beginnings, and stamps theirs. Whoever prunes keeps the newest row, or numbers
  -- would come twice. A program of the version before that has the file open finds its tables gone, and is
  -- refused.
  ALTER TABLE effect RENAME TO effect_before;
  DROP INDEX effect_by_run;
  DROP INDEX effect_repeated;
  DROP INDEX effect_by_instance;
  DROP INDEX effect_unfinished;
  CREATE TABLE effect (
    seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, repeats TEXT, generation INTEGER NOT NULL,
    tenant TEXT NOT NULL, run_id TEXT NOT NULL, intent_id TEXT NOT NULL, thread_id TEXT,
    tool TEXT NOT NULL, wish TEXT NOT NULL, instance TEXT, declared TEXT NOT NULL, before BLOB,
    frozen_args BLOB, finished INTEGER NOT NULL, state TEXT NOT NULL, owner_id TEXT,
    detail TEXT NOT NULL, result BLOB, undo_args BLOB, version INTEGER NOT NULL, end_seq REAL,
    attempts TEXT NOT NULL, moves TEXT NOT NULL
  );
  CREATE INDEX move_by_key ON move (key);
  INSERT INTO effect SELECT start_seq, key, repeats, generation, tenant, run_id, intent_id, thread_id,
    tool, wish, instance, declared, before, frozen_args, finished, state, owner_id, detail, result,
    undo_args, version, end_seq, attempts,
    -- Texts of the log are the insides of JSON strings already.
    (SELECT coalesce(group_concat(line, ''), '') FROM (
      SELECT '{' || coalesce('"from":"' || from_state || '",', '') || '"to":"' || to_state || '",'
        || coalesce('"actor":"' || actor || '",', '') || coalesce('"attempt":"' || attempt || '",', '')
        || '"evidence":"' || evidence || '",' || coalesce('"note":"' || note || '",', '')
        || '"at":' || at || '}' || char(10) AS line
      FROM move WHERE move.key = effect_before.key ORDER BY seq))
    FROM effect_before;
  UPDATE effect SET end_seq = (SELECT begun + (end_seq - begun) / 1048576.0 FROM
    (SELECT coalesce(max(seq), 0) AS begun FROM effect AS other WHERE other.seq <= effect.end_seq))
    WHERE end_seq IS NOT NULL;
  UPDATE stamp SET seq = (SELECT begun + (stamp.seq - begun) / 1048576.0 FROM
    (SELECT coalesce(max(seq), 0) AS begun FROM effect AS other WHERE other.seq <= stamp.seq));
  DROP TABLE effect_before;
  DROP TABLE move;
  CREATE INDEX effect_by_run ON effect (run_id);
  CREATE INDEX effect_repeated ON effect (repeats, generation) WHERE repeats IS NOT NULL;
  CREATE INDEX effect_by_instance ON effect (tenant, instance) WHERE instance IS NOT NULL;
  CREATE INDEX effect_unfinished ON effect (tenant, thread_id, wish)
    WHERE thread_id IS NOT NULL AND finished = 0;
  `,
  `
  -- The index of the runs is written for ${listedTogether} effects at a time: for each by itself it is a page more
  -- to write. Listed are those up to the last number that is divisible by ${listedTogether}; those after it are
  -- looked through. An entry whose effect was begun again since has no row with its run and its number.
  -- Both parts of the view end at the same number, so that nothing is found twice when somebody has deleted
  -- the newest rows, as whoever empties a file between tests does.
  -- The renamed column keeps a program of the version before from beginning effects that it does not list.
  ALTER TABLE effect RENAME COLUMN moves TO log;
  DROP INDEX effect_by_run;
  CREATE TABLE listed_effect (
    run_id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (run_id, seq)
  ) WITHOUT ROWID;
  INSERT INTO listed_effect SELECT run_id, seq FROM effect
    WHERE seq < (SELECT max(seq) / ${listedTogether} * ${listedTogether} FROM effect);
  CREATE VIEW run_effect AS
    SELECT run_id, seq FROM listed_effect
      WHERE seq < (SELECT max(seq) / ${listedTogether} * ${listedTogether} FROM effect)
    UNION ALL
    SELECT run_id, seq FROM effect
      WHERE seq >= (SELECT max(seq) / ${listedTogether} * ${listedTogether} FROM effect);
  `,
];

/**
 * Brings the schema to this version, in one transaction, and returns the ledger's own id. Safe when
 * several processes open a new file at once.
 *
 * @param to the steps to end with; given by tests only
 * @throws SetupError `ledger_newer` for a file of a later version, `ledger_unreadable` for a database of
 * something else
 */
export function migrate(database: SqliteDatabase, location: string, to = steps): string {
  const current = readMeta(database);
  if (current?.version === to.length) return current.id;
  database.exec('BEGIN IMMEDIATE');
  try {
    const { id, version } = readMeta(database) ?? createMeta(database, location);
    if (version > to.length) throw newerError(version, to.length, location);
    for (const step of to.slice(version)) database.exec(step);
    database.prepare(`UPDATE meta SET value = ? WHERE name = 'version'`).run(String(to.length));
    database.exec('COMMIT');
    return id;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/**
 * What a file that is only to be read says of itself.
 *
 * @throws SetupError `ledger_newer` for a file of a later version, `ledger_unreadable` for a database that
 * is no ledger
 */
export function readIdentity(
  database: SqliteDatabase,
  location: string,
): { readonly id: string; readonly isOlder: boolean } {
  const meta = readMeta(database);
  if (meta === undefined || !(meta.version > 0)) {
    throw setupError(
      'ledger_unreadable',
      location,
      'it is a database, but not a ledger',
      'give the file that sqliteLedger was given',
    );
  }
  if (meta.version > steps.length) throw newerError(meta.version, steps.length, location);
  return { id: meta.id, isOlder: meta.version < steps.length };
}

function newerError(version: number, known: number, location: string): SetupError {
  return setupError(
    'ledger_newer',
    location,
    `its schema has version ${version}, and this program knows versions up to ${known}`,
    'update @holdfast/effect-ledger to the version that wrote it',
  );
}

/** After a failure that may have ended the transaction by itself. */
export function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite has rolled back already, as it does when a disk is full.
  }
}

interface Meta {
  readonly id: string;
  readonly version: number;
}

function readMeta(database: SqliteDatabase): Meta | undefined {
  const columns = database
    .prepare(`SELECT name FROM pragma_table_info('meta') WHERE name IN ('name', 'value')`)
    .all();
  if (columns.length < 2) return undefined;
  const rows = database.prepare('SELECT name, value FROM meta').all() as {
    readonly name: string;
    readonly value: string;
  }[];
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  return { id: values.get('id') ?? '', version: Number(values.get('version')) };
}

function createMeta(database: SqliteDatabase, location: string): Meta {
  const others = database
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .all() as { readonly name: string }[];
  if (others.length > 0) {
    throw setupError(
      'ledger_unreadable',
      location,
      `it holds something else (table ${others[0]?.name})`,
      'give the ledger a file of its own',
    );
  }
  const id = randomUUID();
  database.exec('CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
  const insert = database.prepare('INSERT INTO meta (name, value) VALUES (?, ?)');
  insert.run('id', id);
  insert.run('version', '0');
  return { id, version: 0 };
}
