import type { Decision } from './decision.js';
import type { Effect, EffectKey } from './effect.js';
import { neverHeld, type RunLease } from './lease.js';
import type { LedgerTables } from './ledger-tables.js';
import { ledgerSequence } from './sequence.js';
import type { CheckpointRef, CheckpointStamp, EffectQuery, RunQuery, RunRecord } from './store.js';

/** The tables as maps, and the queries that change nothing. */
export interface MemoryTables extends LedgerTables {
  effects(query: EffectQuery): readonly Effect[];
  runs(query: RunQuery): readonly RunRecord[];
  stampOf(at: CheckpointRef): CheckpointStamp | undefined;
}

const unfinished: ReadonlySet<Effect['state']> = new Set(['attempting', 'suspended', 'unknown']);

export function memoryTables(): MemoryTables {
  let begun = 0;
  const effects = new Map<EffectKey, Effect>();
  const latest = new Map<EffectKey, EffectKey>();
  const leases = new Map<string, RunLease>();
  const runs = new Map<string, RunRecord>();
  const decisions: Decision[] = [];
  const stamps = new Map<string, CheckpointStamp>();
  const byWish = rowIndex((effect) => effect.wish);
  const byRun = rowIndex((effect) => effect.runId);
  // No call meets a step, so queries for what calls may meet leave steps out.
  const ofCall = ({ step }: Effect) => step === undefined;
  const byIntent = rowIndex((effect) => (ofCall(effect) ? effect.intentId : undefined));
  const byThread = rowIndex((effect) => (ofCall(effect) ? effect.place.threadId : undefined));
  const byInstance = rowIndex((effect) => effect.instance);

  const put = (effect: Effect) => {
    const before = effects.get(effect.key);
    for (const index of [byWish, byRun, byIntent, byThread, byInstance]) {
      index.replace(before, effect);
    }
    effects.set(effect.key, effect);
    begun = Math.max(begun, effect.startSeq);
  };

  const leaseOf = (runId: string) => leases.get(runId) ?? neverHeld;
  const recordOf = (run: RunRecord): RunRecord => ({
    ...run,
    consumedMs: leaseOf(run.runId).consumedMs,
  });

  const touchRun = (runId: string, at: number) => {
    const run = runs.get(runId);
    if (run !== undefined) runs.set(runId, { ...run, activeAt: at });
  };

  return {
    ...ledgerSequence(() => begun),

    byKey: (key) => effects.get(key),
    latest(first) {
      const key = latest.get(first);
      return key === undefined ? undefined : effects.get(key);
    },
    elsewhere: (tenant, threadId, wish, intentId) =>
      byWish
        .rows(wish)
        .filter(
          (effect) =>
            effect.tenant === tenant &&
            effect.place.threadId === threadId &&
            effect.intentId !== intentId &&
            unfinished.has(effect.state),
        )
        .sort(byStart),
    overwritten: ({ tenant, instance, wish, startSeq }) =>
      instance !== undefined &&
      byInstance
        .rows(instance)
        .some(
          (other) =>
            other.tenant === tenant &&
            other.wish !== wish &&
            other.startSeq > startSeq &&
            other.state !== 'failed',
        ),
    hasAttempting: (runId, ownerId) =>
      byRun
        .rows(runId)
        .some((effect) => effect.state === 'attempting' && effect.owner.id === ownerId),
    insert(effect, first) {
      latest.set(first, effect.key);
      put(effect);
    },
    // The log is for those who look into a store's file; here nobody could.
    update: put,
    relocate: put,

    lease: leaseOf,
    enterRun({ runId }, lease, at) {
      leases.set(runId, lease);
      touchRun(runId, at);
    },
    putLease: (runId, lease) => void leases.set(runId, lease),

    run(runId) {
      const run = runs.get(runId);
      return run && recordOf(run);
    },
    insertRun: (run) => void runs.set(run.runId, run),
    touchRun,
    endRun(runId, at, status) {
      const run = runs.get(runId);
      if (run !== undefined) runs.set(runId, { ...run, activeAt: at, ended: { at, status } });
    },

    decisionsOf: (query) =>
      decisions.filter(
        ({ tenant, runId, threadId }) =>
          tenant === query.tenant &&
          ('runId' in query ? runId === query.runId : threadId === query.threadId),
      ),
    insertDecision: (decision) => void decisions.push(decision),

    putStamp: (stamp) => void stamps.set(addressOf(stamp), stamp),
    stampOf: (at) => stamps.get(addressOf(at)),

    effects(query) {
      if ('key' in query) return [effects.get(query.key)].filter((effect) => effect !== undefined);
      if ('runId' in query) return byRun.rows(query.runId).sort(byStart);
      const ofTenant = (effect: Effect) => effect.tenant === query.tenant;
      if ('intentId' in query) {
        return byIntent.rows(query.intentId).filter(ofTenant).sort(byStart);
      }
      return byThread
        .rows(query.threadId)
        .filter(ofTenant)
        .filter(({ state, runId }) => unfinished.has(state) || runs.get(runId)?.ended === undefined)
        .sort(byStart);
    },
    runs(query) {
      // Maps keep the order of insertion, which is the order of admission.
      return [...runs.values()]
        .reverse()
        .filter((run) => {
          if ('runId' in query) return run.runId === query.runId;
          if (run.tenant !== query.tenant) return false;
          return 'intentId' in query
            ? run.intentId === query.intentId
            : run.threadId === query.threadId;
        })
        .map(recordOf);
    },
  };
}

function byStart(a: Effect, b: Effect): number {
  return a.startSeq - b.startSeq;
}

function addressOf({ threadId, ns, id }: CheckpointRef): string {
  return JSON.stringify([threadId, ns, id]);
}

function rowIndex(column: (effect: Effect) => string | undefined) {
  const rows = new Map<string, Map<EffectKey, Effect>>();
  return {
    rows: (value: string): Effect[] => [...(rows.get(value)?.values() ?? [])],
    replace(before: Effect | undefined, after: Effect): void {
      const [old, value] = [before && column(before), column(after)];
      if (old !== undefined && old !== value) rows.get(old)?.delete(after.key);
      if (value === undefined) return;
      const same = rows.get(value);
      if (same === undefined) rows.set(value, new Map([[after.key, after]]));
      else same.set(after.key, after);
    },
  };
}
