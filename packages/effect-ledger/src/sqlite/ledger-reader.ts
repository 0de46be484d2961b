import { type Decision, standingDecisions } from '../decision.js';
import type { Effect, EffectKey, EffectState } from '../effect.js';
import type { LoggedMove } from '../ledger-tables.js';
import type { RunRecord } from '../store.js';
import * as column from './columns.js';
import { decisionTable } from './decision-table.js';
import { effectFromRow } from './effect-row.js';
import { findEffects } from './effect-table.js';
import { ledgerError } from './failure.js';
import { movesOf } from './move-log.js';
import type { OpenLedger } from './open-database.js';
import { findRuns } from './run-table.js';
import type { SqlValue } from './sqlite-database.js';
import { preparedStatements, type Statements } from './statements.js';

/** A run as the ledger knows it, written down or not, and how many of its calls' effects are in which state. */
export interface KnownRun {
  readonly runId: string;
  readonly activeAt: number;
  readonly threadId?: string;
  /** Absent for a run that nobody wrote down. */
  readonly record?: RunRecord;
  readonly effects: Readonly<Partial<Record<EffectState['state'] | 'undone', number>>>;
}

export interface RunFilter {
  readonly runId?: string;
  readonly threadId?: string;
  /** Runs with an effect in this state. */
  readonly state?: EffectState['state'];
}

/** Effects for which all of these hold. */
export interface EffectFilter {
  readonly key?: string;
  readonly callId?: string;
  readonly threadId?: string;
  readonly tool?: string;
  /** Wishes, whatever their tenant. */
  readonly wishes?: readonly string[];
}

export interface RecordedDecision extends Decision {
  /** False for one that a later one, or a rejection, has overruled. */
  readonly stands: boolean;
}

/** What people ask of a ledger's file. Some of it reads whole tables, so no guard asks it. */
export interface LedgerReader {
  readonly location: string;
  readonly id: string;
  /** Last active first. */
  runs(filter: RunFilter, limit: number): readonly KnownRun[];
  countRuns(filter: RunFilter): number;
  /** Ids of runs, then keys, that begin with a text. */
  idsLike(start: string, limit: number): readonly string[];
  /** Of a run or by its key, whole, in the order in which they were begun. */
  effects(query: { readonly runId: string } | { readonly key: EffectKey }): readonly Effect[];
  /** Without the bytes of results, undos and states before; in the order in which they were begun. */
  findEffects(filter: EffectFilter): readonly Effect[];
  /** The log of an effect, oldest first. */
  moves(key: EffectKey): readonly LoggedMove[];
  /** All that were ever made, oldest first. */
  decisions(tenant: string, runId: string): readonly RecordedDecision[];
  close(): void;
}

/** The row of a call's effect, not of a step inside it. */
const ofCall = 'effect.wish <> effect.key';

export function ledgerReader({ database, location, id, close }: OpenLedger): LedgerReader {
  const prepared = preparedStatements(database);
  const explained = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      throw ledgerError(error, location);
    }
  };
  const statements: Statements = {
    run: (...given) => explained(() => prepared.run(...given)),
    get: (...given) => explained(() => prepared.get(...given)),
    all: (...given) => explained(() => prepared.all(...given)),
    value: (sql) => explained(() => prepared.value(sql)),
  };
  return {
    location,
    id,
    runs(filter, limit) {
      const { where, values } = runCondition(filter);
      return statements
        .all(
          `SELECT run_id, active_at FROM lease ${where} ORDER BY active_at DESC, run_id LIMIT ?`,
          ...values,
          limit,
        )
        .map((row) => {
          const runId = column.text(row, 'run_id');
          const [record] = findRuns(statements, { runId });
          const threadId = record === undefined ? threadOfEffects(runId) : record.threadId;
          return {
            runId,
            activeAt: column.optionalInteger(row, 'active_at') ?? 0,
            ...(threadId !== undefined && { threadId }),
            ...(record !== undefined && { record }),
            effects: countsOf(runId),
          };
        });
    },
    countRuns(filter) {
      const { where, values } = runCondition(filter);
      const row = statements.get(`SELECT count(*) AS count FROM lease ${where}`, ...values);
      return row === undefined ? 0 : column.integer(row, 'count');
    },
    idsLike(start, limit) {
      const beginning = column.toText(start);
      return statements
        .all(
          `SELECT run_id AS id FROM lease WHERE substr(run_id, 1, ?) = ?
            UNION ALL SELECT key FROM effect WHERE substr(key, 1, ?) = ? LIMIT ?`,
          ...[beginning.length, beginning, beginning.length, beginning, limit],
        )
        .map((row) => column.text(row, 'id'));
    },
    effects: (query) => findEffects(statements, query),
    findEffects(filter) {
      const { where, values } = effectCondition(filter);
      return statements
        .all(
          `SELECT key, tenant, run_id, intent_id, tool, wish, generation, instance, declared,
            NULL AS before, frozen_args, state, detail, zeroblob(0) AS result, zeroblob(0) AS undo_args,
            version, seq, end_seq, attempts FROM effect ${where} ORDER BY seq`,
          ...values,
        )
        .map(effectFromRow);
    },
    moves(key) {
      const row = statements.get('SELECT log FROM effect WHERE key = ?', key);
      return row === undefined ? [] : movesOf(row);
    },
    decisions(tenant, runId) {
      const made = decisionTable(statements).decisionsOf({ tenant, runId });
      const standing = new Set(standingDecisions(made));
      return made.map((decision) => ({ ...decision, stands: standing.has(decision) }));
    },
    close,
  };

  function threadOfEffects(runId: string): string | undefined {
    const row = statements.get(
      `SELECT thread_id FROM run_effect JOIN effect USING (run_id, seq)
        WHERE run_id = ? AND thread_id IS NOT NULL LIMIT 1`,
      column.toText(runId),
    );
    return row && column.text(row, 'thread_id');
  }

  function countsOf(runId: string): KnownRun['effects'] {
    const rows = statements.all(
      `SELECT CASE WHEN json_extract(detail, '$.settlement.settled') = 'compensated' THEN 'undone'
        ELSE state END AS state, count(*) AS count
        FROM run_effect JOIN effect USING (run_id, seq) WHERE run_id = ? AND ${ofCall} GROUP BY 1`,
      column.toText(runId),
    );
    return Object.fromEntries(
      rows.map((row) => [column.text(row, 'state'), column.integer(row, 'count')]),
    );
  }
}

interface Condition {
  readonly where: string;
  readonly values: readonly SqlValue[];
}

function runCondition({ runId, threadId, state }: RunFilter): Condition {
  return allOf([
    ['run_id = ?', runId],
    // A run that nobody wrote down is in the thread of its effects.
    [
      `run_id IN (SELECT run_id FROM run WHERE thread_id = ?
        UNION SELECT run_id FROM effect WHERE thread_id = ?)`,
      threadId,
    ],
    [`run_id IN (SELECT run_id FROM effect WHERE state = ? AND ${ofCall})`, state],
  ]);
}

function effectCondition(filter: EffectFilter): Condition {
  const { wishes } = filter;
  return allOf([
    ['key = ?', filter.key],
    [`json_extract(declared, '$.place.callId') = ?`, filter.callId, 'as it is'],
    [`json_extract(declared, '$.place.threadId') = ?`, filter.threadId, 'as it is'],
    ['tool = ?', filter.tool],
    ['wish IN (SELECT value FROM json_each(?))', wishes && JSON.stringify(wishes), 'as it is'],
  ]);
}

/** Conditions whose value is given, each with that value for all of its question marks. */
function allOf(
  conditions: readonly (readonly [sql: string, value: string | undefined, form?: 'as it is'])[],
): Condition {
  const given = conditions.flatMap(([sql, value, form]) =>
    value === undefined ? [] : [{ sql, value: form === undefined ? column.toText(value) : value }],
  );
  return {
    where: given.length === 0 ? '' : `WHERE ${given.map(({ sql }) => sql).join(' AND ')}`,
    values: given.flatMap(({ sql, value }) =>
      Array.from({ length: sql.split('?').length - 1 }, () => value),
    ),
  };
}
