import type {
  Attempt,
  Effect,
  EffectIn,
  EffectKey,
  EffectState,
  Owner,
  Settlement,
  StoredResult,
  Undo,
} from '../effect.js';
import type { EffectRecord } from '../effect-change.js';
import { LedgerError } from '../ledger-error.js';
import * as column from './columns.js';
import type { OwnerColumn } from './owner-column.js';

/** What rows are not found by, as their column `declared` holds it. */
type DeclaredDetail = Pick<
  EffectRecord,
  'scope' | 'toolVersion' | 'class' | 'keyGiven' | 'argsDigest' | 'ordinal' | 'place' | 'step'
>;

export function declaredColumn(effect: Effect): string {
  const { scope, toolVersion, keyGiven, argsDigest, ordinal, place, step } = effect;
  const known =
    `{"scope":"${scope}","toolVersion":${column.quoted(toolVersion)},"class":"${effect.class}",` +
    `${column.member('keyGiven', keyGiven)},"argsDigest":${column.quoted(argsDigest)},` +
    `${column.member('ordinal', ordinal)},"place":${JSON.stringify(place)}`;
  return step === undefined ? `${known}}` : `${known},"step":${JSON.stringify(step)}}`;
}

export function attemptsColumn(attempts: readonly Attempt[]): string {
  return `[${attempts.map(attemptJson).join(',')}]`;
}

function attemptJson({ id, startedAt, endedAt, ended, tries, keyCarried }: Attempt): string {
  let text = `{"id":${column.quoted(id)},${column.member('startedAt', startedAt)}`;
  if (endedAt !== undefined) text += `,${column.member('endedAt', endedAt)}`;
  if (ended !== undefined) text += `,"ended":"${ended}"`;
  if (tries !== undefined) text += `,${column.member('tries', tries)}`;
  if (keyCarried !== undefined) text += `,${column.member('keyCarried', keyCarried)}`;
  return `${text}}`;
}

/** A success as its `detail` holds it: the bytes have columns of their own. */
interface SuccessDetail {
  readonly result:
    | Omit<Extract<StoredResult, { kept: true }>, 'bytes'>
    | Extract<StoredResult, { kept: false }>;
  readonly undo: Omit<Extract<Undo, { undo: 'ready' }>, 'args'> | Exclude<Undo, { undo: 'ready' }>;
  readonly settlement: Settlement;
}

/** The columns that a move to an outcome writes. */
type StateColumns = readonly [
  state: string,
  ownerId: string | null,
  detail: string,
  result: Uint8Array | null,
  undoArgs: Uint8Array | null,
];

export function stateColumns(effect: Effect, owners: OwnerColumn): StateColumns {
  switch (effect.state) {
    case 'attempting':
    case 'suspended': {
      const { state, owner } = effect;
      return [state, column.toText(owner.id), `{"owner":${owners.write(owner)}}`, null, null];
    }
    case 'failed': {
      const { state, failureKind } = effect;
      return [state, null, JSON.stringify({ failureKind }), null, null];
    }
    case 'unknown': {
      const { state, since, reason } = effect;
      return [state, null, JSON.stringify({ since, reason }), null, null];
    }
    case 'succeeded': {
      const { state, result, undo } = effect;
      return [
        state,
        null,
        successColumn(effect),
        result.kept ? result.bytes : null,
        undo.undo === 'ready' ? undo.args : null,
      ];
    }
  }
}

export function effectFromRow(row: column.Row): Effect {
  return { ...recordFromRow(row), ...stateFromRow(row) };
}

function recordFromRow(row: column.Row): EffectRecord {
  const before = column.optionalBytes(row, 'before');
  const frozenArgs = column.optionalBytes(row, 'frozen_args');
  const instance = column.optionalText(row, 'instance');
  const endSeq = column.optionalInteger(row, 'end_seq');
  return {
    key: column.text(row, 'key') as EffectKey,
    tenant: column.text(row, 'tenant'),
    runId: column.text(row, 'run_id'),
    intentId: column.text(row, 'intent_id'),
    tool: column.text(row, 'tool'),
    wish: column.text(row, 'wish'),
    generation: column.integer(row, 'generation'),
    ...column.json<DeclaredDetail>(row, 'declared'),
    ...(instance !== undefined && { instance }),
    ...(before !== undefined && { before }),
    ...(frozenArgs !== undefined && { frozenArgs }),
    version: column.integer(row, 'version'),
    startSeq: column.integer(row, 'seq'),
    ...(endSeq !== undefined && { endSeq }),
    attempts: column.json<readonly Attempt[]>(row, 'attempts'),
  };
}

function stateFromRow(row: column.Row): EffectState {
  const state = column.text(row, 'state') as EffectState['state'];
  switch (state) {
    case 'attempting':
    case 'suspended':
      return { state, ...column.json<{ readonly owner: Owner }>(row, 'detail') };
    case 'failed':
      return { state, ...column.json<{ readonly failureKind: string }>(row, 'detail') };
    case 'unknown':
      return {
        state,
        ...column.json<{ readonly since: number; readonly reason: string }>(row, 'detail'),
      };
    case 'succeeded': {
      const { result, undo, settlement } = column.json<SuccessDetail>(row, 'detail');
      return {
        state,
        result: result.kept ? { ...result, bytes: column.bytes(row, 'result') } : result,
        undo: undo.undo === 'ready' ? { ...undo, args: column.bytes(row, 'undo_args') } : undo,
        settlement,
      };
    }
    default:
      // A later schema would have been refused when the file was opened.
      throw new LedgerError('corrupt', `The ledger holds a row in the state ${state}.`);
  }
}

/** As {@link SuccessDetail}. */
function successColumn({ result, undo, settlement }: EffectIn<'succeeded'>): string {
  const kept = result.kept
    ? `{"kept":true,"type":${column.quoted(result.type)},"digest":${column.quoted(result.digest)}}`
    : JSON.stringify(result);
  return `{"result":${kept},"undo":${undoJson(undo)},"settlement":${settlementJson(settlement)}}`;
}

function undoJson(undo: Undo): string {
  if (undo.undo === 'none') return '{"undo":"none"}';
  if (undo.undo === 'invalid') return JSON.stringify(undo);
  const { tool, strength, validUntil } = undo;
  return JSON.stringify({ undo: 'ready', tool, strength, validUntil });
}

function settlementJson(settlement: Settlement): string {
  return settlement.settled === 'open' ? '{"settled":"open"}' : JSON.stringify(settlement);
}
