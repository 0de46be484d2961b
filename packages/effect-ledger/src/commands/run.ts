import type { LedgerTables } from '../ledger-tables.js';
import type { Admission, Claimant, RunRecord } from '../store.js';

export function admit(
  tables: LedgerTables,
  admission: Admission,
  now: number,
): { readonly run: RunRecord; readonly known: boolean } {
  const known = tables.run(admission.runId);
  if (known === undefined) {
    const run = { ...admission, admittedAt: now, activeAt: now };
    tables.insertRun(run);
    return { run, known: false };
  }
  tables.touchRun(known.runId, now);
  return { run: { ...known, activeAt: now }, known: true };
}

export function endRun(tables: LedgerTables, runId: string, status: string, now: number): void {
  const run = tables.run(runId);
  if (run !== undefined && run.ended === undefined) tables.endRun(runId, now, status);
}

export function renew(
  tables: LedgerTables,
  runId: string,
  claimant: Claimant,
  now: number,
): boolean {
  const lease = tables.lease(runId);
  const stale = claimant.epoch !== undefined && claimant.epoch !== lease.epoch;
  if (stale || lease.holder?.id !== claimant.owner.id) return false;
  // Where nothing is being attempted there is nothing to keep alive.
  if (tables.hasAttempting(runId, claimant.owner.id)) {
    tables.putLease(runId, { ...lease, untilMs: now + claimant.leaseMs });
  }
  return true;
}
