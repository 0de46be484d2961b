import type { Effect, EffectKey } from '../effect.js';
import type { LedgerTables } from '../ledger-tables.js';
import type { EffectQuery } from '../store.js';
import { toOptionalText, toText } from './columns.js';
import { effectFromRow, stateColumns } from './effect-row.js';
import type { Statements } from './statements.js';

/*
 * Values are bound by position alone, and the first is never bytes: that is what all drivers agree on.
 */
const sql = {
  byKey: 'SELECT * FROM effect WHERE key = ?',
  version: 'SELECT version FROM effect WHERE key = ?',
  byAttempt: 'SELECT effect.* FROM attempt JOIN effect USING (key) WHERE attempt.id = ?',
  latest: `SELECT * FROM effect WHERE tenant = ? AND scope_intent IS ? AND wish = ? AND ordinal = ?
    ORDER BY generation DESC LIMIT 1`,
  elsewhere: `SELECT * FROM effect WHERE tenant = ? AND thread_id = ? AND wish = ? AND intent_id <> ?
    AND finished = 0 AND state IN ('attempting', 'suspended', 'unknown') ORDER BY start_seq`,
  overwritten: `SELECT 1 FROM effect WHERE tenant = ? AND instance = ? AND start_seq > ?
    AND wish <> ? AND state <> 'failed' LIMIT 1`,
  hasAttempting: `SELECT 1 FROM effect WHERE run_id = ? AND state = 'attempting' AND owner_id = ?
    LIMIT 1`,
  byRun: 'SELECT * FROM effect WHERE run_id = ? ORDER BY start_seq',
  byIntent: `SELECT * FROM effect WHERE tenant = ? AND scope_intent = ?
    UNION ALL SELECT * FROM effect WHERE tenant = ? AND intent_id = ? AND scope_intent IS NULL
    ORDER BY start_seq`,
  byThread: `SELECT * FROM effect WHERE tenant = ? AND thread_id = ? AND finished = 0
    ORDER BY start_seq`,
  insert: `INSERT INTO effect (key, tenant, run_id, intent_id, scope_intent, tool, tool_version, class,
    key_given, args_digest, wish, ordinal, generation, instance, place, thread_id, before, frozen_args,
    finished, state, owner_id, detail, result, undo_args, version, start_seq, attempts)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)`,
  begin: `UPDATE effect SET state = ?, owner_id = ?, detail = ?, result = ?, undo_args = ?,
    version = ?, attempts = ?, start_seq = ?, finished = 0 WHERE key = ?`,
  change: `UPDATE effect SET state = ?, owner_id = ?, detail = ?, result = ?, undo_args = ?,
    version = ?, attempts = ?, frozen_args = ?, end_seq = ? WHERE key = ?`,
  finish: `UPDATE effect SET finished = 1 WHERE key = ? AND finished = 0 AND EXISTS
    (SELECT 1 FROM run WHERE run.run_id = effect.run_id AND ended_at IS NOT NULL)`,
  relocate: `UPDATE effect SET run_id = ?, intent_id = ?, scope_intent = ?, place = ?, thread_id = ?
    WHERE key = ?`,
  addAttempt: 'INSERT INTO attempt (id, key) VALUES (?, ?)',
} as const;

type EffectTable = Pick<
  LedgerTables,
  | 'byKey'
  | 'byAttempt'
  | 'latest'
  | 'elsewhere'
  | 'overwritten'
  | 'hasAttempting'
  | 'insert'
  | 'update'
  | 'relocate'
  | 'addAttempt'
>;

/**
 * The rows of effects, and how they are found by their attempts.
 *
 * @param known a row as it was last seen here
 */
export function effectTable(
  statements: Statements,
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
    byAttempt: (attemptId) => one(statements.get(sql.byAttempt, toText(attemptId))),
    latest: ({ tenant, intentId, scope, wish, ordinal }) =>
      one(statements.get(sql.latest, toText(tenant), scopeIntent(scope, intentId), wish, ordinal)),
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
    insert(effect) {
      const { place } = effect;
      statements.run(
        sql.insert,
        effect.key,
        toText(effect.tenant),
        toText(effect.runId),
        toText(effect.intentId),
        scopeIntent(effect.scope, effect.intentId),
        toText(effect.tool),
        toText(effect.toolVersion),
        effect.class,
        effect.keyGiven ? 1 : 0,
        toText(effect.argsDigest),
        effect.wish,
        effect.ordinal,
        effect.generation,
        toOptionalText(effect.instance),
        JSON.stringify(place),
        toOptionalText(place.threadId),
        effect.before ?? null,
        effect.frozenArgs ?? null,
        ...stateColumns(effect),
        effect.version,
        effect.startSeq,
        JSON.stringify(effect.attempts),
      );
    },
    update(effect) {
      const common = [...stateColumns(effect), effect.version, JSON.stringify(effect.attempts)];
      // A column with an index costs a page even if it stays as it is, so the moves that every effect
      // makes leave out what they do not change.
      if (effect.state === 'attempting') {
        statements.run(sql.begin, ...common, effect.startSeq, effect.key);
      } else {
        const { frozenArgs = null, endSeq = null } = effect;
        statements.run(sql.change, ...common, frozenArgs, endSeq, effect.key);
        const over = effect.state === 'succeeded' || effect.state === 'failed';
        // Only queries by thread ask for it.
        if (over && effect.place.threadId !== undefined) statements.run(sql.finish, effect.key);
      }
    },
    relocate({ key, runId, intentId, scope, place }) {
      statements.run(
        sql.relocate,
        toText(runId),
        toText(intentId),
        scopeIntent(scope, intentId),
        JSON.stringify(place),
        toOptionalText(place.threadId),
        key,
      );
    },
    addAttempt: (attemptId, key) => void statements.run(sql.addAttempt, toText(attemptId), key),
  };
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
  const intentId = toText(query.intentId);
  return statements.all(sql.byIntent, tenant, intentId, tenant, intentId);
}

function scopeIntent(scope: Effect['scope'], intentId: string): string | null {
  return scope === 'intent' ? toText(intentId) : null;
}
