import type { Effect, EffectIn, EffectKey } from '../effect.js';
import type { LedgerTables } from '../ledger-tables.js';
import type { EffectQuery } from '../store.js';
import { toOptionalText, toText } from './columns.js';
import { declaredColumn, effectFromRow, stateColumns } from './effect-row.js';
import type { OwnerColumn } from './owner-column.js';
import type { SqlValue } from './sqlite-database.js';
import type { Statements } from './statements.js';

/*
 * Values are bound by position alone, and the first is never bytes: that is what all drivers agree on.
 */
const sql = {
  byKey: 'SELECT * FROM effect WHERE key = ?',
  version: 'SELECT version FROM effect WHERE key = ?',
  latestRepeat: 'SELECT * FROM effect WHERE repeats = ? ORDER BY generation DESC LIMIT 1',
  elsewhere: `SELECT * FROM effect WHERE tenant = ? AND thread_id = ? AND wish = ? AND intent_id <> ?
    AND finished = 0 AND state IN ('attempting', 'suspended', 'unknown') ORDER BY start_seq`,
  overwritten: `SELECT 1 FROM effect WHERE tenant = ? AND instance = ? AND start_seq > ?
    AND wish <> ? AND state <> 'failed' LIMIT 1`,
  hasAttempting: `SELECT 1 FROM effect WHERE run_id = ? AND state = 'attempting' AND owner_id = ?
    LIMIT 1`,
  byRun: 'SELECT * FROM effect WHERE run_id = ? ORDER BY start_seq',
  // The wish of a step is its key.
  byIntent: `SELECT effect.* FROM lease JOIN effect USING (run_id)
    WHERE lease.tenant = ? AND lease.intent_id = ? AND wish <> key ORDER BY start_seq`,
  byThread: `SELECT * FROM effect WHERE tenant = ? AND thread_id = ? AND finished = 0
    ORDER BY start_seq`,
  insert: `INSERT INTO effect (key, repeats, generation, tenant, run_id, intent_id, thread_id, tool,
    wish, instance, declared, before, frozen_args, finished, state, owner_id, detail, version, attempts,
    start_seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)`,
  // Only a success has a result and an undo, and it is not attempted again.
  begin: `UPDATE effect SET state = ?, owner_id = ?, detail = ?, version = ?, attempts = ?,
    start_seq = ?, finished = 0 WHERE key = ?`,
  change: `UPDATE effect SET state = ?, owner_id = ?, detail = ?, result = ?, undo_args = ?,
    version = ?, attempts = ?, frozen_args = ?, end_seq = ? WHERE key = ?`,
  finish: `UPDATE effect SET finished = 1 WHERE key = ? AND finished = 0 AND EXISTS
    (SELECT 1 FROM run WHERE run.run_id = effect.run_id AND ended_at IS NOT NULL)`,
  relocate: `UPDATE effect SET run_id = ?, intent_id = ?, thread_id = ?, declared = ? WHERE key = ?`,
} as const;

type EffectTable = Pick<
  LedgerTables,
  | 'byKey'
  | 'latest'
  | 'elsewhere'
  | 'overwritten'
  | 'hasAttempting'
  | 'insert'
  | 'update'
  | 'relocate'
>;

/**
 * The rows of effects.
 *
 * @param known a row as it was last seen here
 */
export function effectTable(
  statements: Statements,
  owners: OwnerColumn,
  known: (key: EffectKey) => Effect | undefined,
): EffectTable {
  const one = (row: ReturnType<Statements['get']>) => row && effectFromRow(row);
  return {
    byKey(key) {
      // Most moves end what was begun here: then the row is known, unless its version says otherwise.
      const row = known(key);
      if (row !== undefined && row.version === statements.get(sql.version, key)?.version)
        return row;
      return one(statements.get(sql.byKey, key));
    },
    latest(first) {
      const row = statements.get(sql.byKey, first);
      return row && one(statements.get(sql.latestRepeat, first) ?? row);
    },
    elsewhere: (tenant, threadId, wish, intentId) =>
      statements
        .all(sql.elsewhere, toText(tenant), toText(threadId), wish, toText(intentId))
        .map(effectFromRow),
    overwritten: ({ tenant, instance, startSeq, wish }) =>
      instance !== undefined &&
      statements.get(sql.overwritten, toText(tenant), toText(instance), startSeq, wish) !==
        undefined,
    hasAttempting: (runId, ownerId) =>
      statements.get(sql.hasAttempting, toText(runId), toText(ownerId)) !== undefined,
    insert(effect, first) {
      statements.run(
        sql.insert,
        effect.key,
        effect.key === first ? null : first,
        effect.generation,
        toText(effect.tenant),
        toText(effect.runId),
        toText(effect.intentId),
        threadColumn(effect),
        toText(effect.tool),
        effect.wish,
        toOptionalText(effect.instance),
        declaredColumn(effect),
        effect.before ?? null,
        effect.frozenArgs ?? null,
        ...begunColumns(effect, owners),
      );
    },
    update(effect) {
      // A column with an index costs a page even if it stays as it is, so the moves that every effect
      // makes leave out what they do not change.
      if (effect.state === 'attempting') {
        statements.run(sql.begin, ...begunColumns(effect, owners), effect.key);
      } else {
        const { version, attempts, frozenArgs = null, endSeq = null, key } = effect;
        statements.run(
          sql.change,
          ...stateColumns(effect, owners),
          version,
          JSON.stringify(attempts),
          frozenArgs,
          endSeq,
          key,
        );
        const over = effect.state === 'succeeded' || effect.state === 'failed';
        // Only queries by thread ask for it.
        if (over && threadColumn(effect) !== null) statements.run(sql.finish, effect.key);
      }
    },
    relocate(effect) {
      const { key, runId, intentId } = effect;
      statements.run(
        sql.relocate,
        toText(runId),
        toText(intentId),
        threadColumn(effect),
        declaredColumn(effect),
        key,
      );
    },
  };
}

/** What the thread's calls may meet is found by it, and no call meets a step. */
function threadColumn({ step, place }: Effect): string | null {
  return step === undefined ? toOptionalText(place.threadId) : null;
}

/** In the order of `state, owner_id, detail, version, attempts, start_seq`. */
function begunColumns(effect: EffectIn<'attempting'>, owners: OwnerColumn): readonly SqlValue[] {
  const [state, ownerId, detail] = stateColumns(effect, owners);
  return [state, ownerId, detail, effect.version, JSON.stringify(effect.attempts), effect.startSeq];
}

/** Effects outside of a commit. */
export function findEffects(statements: Statements, query: EffectQuery): readonly Effect[] {
  return rowsOf(statements, query).map(effectFromRow);
}

function rowsOf(statements: Statements, query: EffectQuery) {
  if ('key' in query) return statements.all(sql.byKey, toText(query.key));
  if ('runId' in query) return statements.all(sql.byRun, toText(query.runId));
  const tenant = toText(query.tenant);
  if ('threadId' in query) return statements.all(sql.byThread, tenant, toText(query.threadId));
  return statements.all(sql.byIntent, tenant, toText(query.intentId));
}
