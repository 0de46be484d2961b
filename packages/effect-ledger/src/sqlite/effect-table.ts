import type { Effect, EffectIn } from '../effect.js';
import type { LedgerTables, LoggedMove } from '../ledger-tables.js';
import { ledgerSequence } from '../sequence.js';
import type { EffectQuery } from '../store.js';
import { optionalInteger, toOptionalText, toText } from './columns.js';
import { attemptsColumn, declaredColumn, effectFromRow, stateColumns } from './effect-row.js';
import type { LedgerMemory } from './ledger-memory.js';
import { moveLine } from './move-log.js';
import type { OwnerColumn } from './owner-column.js';
import { listedTogether } from './schema.js';
import type { SqlValue } from './sqlite-database.js';
import type { Statements } from './statements.js';

/*
 * Values are bound by position alone, and the first is never bytes: that is what all drivers agree on.
 */
const sql = {
  lastBegun: 'SELECT max(seq) AS seq FROM effect',
  byKey: 'SELECT * FROM effect WHERE key = ?',
  latestRepeat: 'SELECT * FROM effect WHERE repeats = ? ORDER BY generation DESC LIMIT 1',
  elsewhere: `SELECT * FROM effect WHERE tenant = ? AND thread_id = ? AND wish = ? AND intent_id <> ?
    AND finished = 0 AND state IN ('attempting', 'suspended', 'unknown') ORDER BY seq`,
  overwritten: `SELECT 1 FROM effect WHERE tenant = ? AND instance = ? AND seq > ?
    AND wish <> ? AND state <> 'failed' LIMIT 1`,
  hasAttempting: `SELECT 1 FROM run_effect JOIN effect USING (run_id, seq)
    WHERE run_id = ? AND state = 'attempting' AND owner_id = ? LIMIT 1`,
  byRun:
    'SELECT effect.* FROM run_effect JOIN effect USING (run_id, seq) WHERE run_id = ? ORDER BY seq',
  // The wish of a step is its key.
  byIntent: `SELECT effect.* FROM lease JOIN run_effect USING (run_id) JOIN effect USING (run_id, seq)
    WHERE lease.tenant = ? AND lease.intent_id = ? AND wish <> key ORDER BY seq`,
  byThread: `SELECT * FROM effect WHERE tenant = ? AND thread_id = ? AND finished = 0
    ORDER BY seq`,
  insert: `INSERT INTO effect (key, repeats, generation, tenant, run_id, intent_id, thread_id, tool,
    wish, instance, declared, before, frozen_args, finished, state, owner_id, detail, version, attempts,
    log, seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)`,
  list: 'INSERT OR IGNORE INTO listed_effect SELECT run_id, seq FROM effect WHERE seq >= ? AND seq < ?',
  // Only a success has a result and an undo, and it is not attempted again.
  begin: `UPDATE effect SET state = ?, owner_id = ?, detail = ?, version = ?, attempts = ?,
    log = log || ?, seq = ?, finished = 0 WHERE key = ?`,
  change: `UPDATE effect SET state = ?, owner_id = ?, detail = ?, result = ?, undo_args = ?,
    version = ?, attempts = ?, log = log || ?, end_seq = ?,
    frozen_args = CASE WHEN ? THEN frozen_args END WHERE seq = ?`,
  finish: `UPDATE effect SET finished = 1 WHERE seq = ? AND finished = 0 AND EXISTS
    (SELECT 1 FROM run WHERE run.run_id = effect.run_id AND ended_at IS NOT NULL)`,
  relocate: `UPDATE effect SET run_id = ?, intent_id = ?, thread_id = ?, declared = ? WHERE key = ?`,
} as const;

type EffectTable = Pick<
  LedgerTables,
  | 'nextBeginning'
  | 'nextEnd'
  | 'byKey'
  | 'latest'
  | 'elsewhere'
  | 'overwritten'
  | 'hasAttempting'
  | 'insert'
  | 'update'
  | 'relocate'
>;

/** The rows of effects. */
export function effectTable(
  statements: Statements,
  owners: OwnerColumn,
  memory: LedgerMemory,
): EffectTable {
  const one = (row: ReturnType<Statements['get']>) => row && effectFromRow(row);
  function noteBegun(effect: EffectIn<'attempting'>): void {
    memory.noteBegun(effect);
    const { startSeq } = effect;
    if (startSeq % listedTogether === 0) {
      statements.run(sql.list, startSeq - listedTogether, startSeq);
    }
  }
  return {
    ...ledgerSequence(() => {
      if (memory.lastBegun === undefined) {
        const row = statements.get(sql.lastBegun);
        memory.lastBegun = (row && optionalInteger(row, 'seq')) ?? 0;
      }
      return memory.lastBegun;
    }),
    byKey: (key) => memory.begun(key) ?? one(statements.get(sql.byKey, key)),
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
    insert(effect, first, move) {
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
        ...begunColumns(effect, move, owners),
      );
      noteBegun(effect);
    },
    update(effect, move) {
      // A column with an index costs a page even if it stays as it is, so the moves that every effect
      // makes leave out what they do not change.
      if (effect.state === 'attempting') {
        statements.run(sql.begin, ...begunColumns(effect, move, owners), effect.key);
        noteBegun(effect);
      } else {
        const { version, attempts, frozenArgs, endSeq = null, startSeq } = effect;
        statements.run(
          sql.change,
          ...stateColumns(effect, owners),
          version,
          attemptsColumn(attempts),
          moveLine(move),
          endSeq,
          // Not the bytes themselves: who declared them may have overwritten them since.
          frozenArgs === undefined ? 0 : 1,
          startSeq,
        );
        const over = effect.state === 'succeeded' || effect.state === 'failed';
        // Only queries by thread ask for it.
        if (over && threadColumn(effect) !== null) statements.run(sql.finish, startSeq);
        memory.noteEnd(effect.key);
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

/** In the order of `state, owner_id, detail, version, attempts, log, seq`. */
function begunColumns(
  effect: EffectIn<'attempting'>,
  move: LoggedMove,
  owners: OwnerColumn,
): readonly SqlValue[] {
  const [state, ownerId, detail] = stateColumns(effect, owners);
  const { version, attempts, startSeq } = effect;
  return [state, ownerId, detail, version, attemptsColumn(attempts), moveLine(move), startSeq];
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
