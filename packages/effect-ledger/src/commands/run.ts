import { withConsumed } from '../lease.js';
import type { LedgerTables } from '../ledger-tables.js';
import type { Admission, Claimant, RunRecord } from '../store.js';

export function admit(
  tables: LedgerTables,
  admission: Admission,
  now: number,
): { readonly run: RunRecord; readonly known: boolean } {
  const known = tables.run(admission.runId);
  if (known === undefined) {
    // Not zero where something was claimed before the run was written down.
    const { consumedMs } = tables.lease(admission.runId);
    const run = { ...admission, admittedAt: now, activeAt: now, consumedMs };
    tables.insertRun(run);
    return { run, known: false };
  }
  tables.touchRun(known.runId, now);
  return { run: { ...known, activeAt: now }, known: true };
}

export function endRun(
  tables: LedgerTables,
  runId: string,
  { status, consumedMs }: { readonly status: string; readonly consumedMs: number | undefined },
  now: number,
): void {
  const run = tables.run(runId);
  if (run === undefined || run.ended !== undefined) return;
  tables.endRun(runId, now, status);
  if (consumedMs !== undefined) consume(tables, runId, consumedMs, now);
}

export function consume(
  tables: LedgerTables,
  runId: string,
  consumedMs: number,
  now: number,
): void {
  tables.touchRun(runId, now);
  const lease = tables.lease(runId);
  const counted = withConsumed(lease, consumedMs);
  if (counted !== lease) tables.putLease(runId, counted);
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
  const counted = withConsumed(lease, claimant.consumedMs);
  // Where nothing is being attempted there is nothing to keep alive.
  const renewed = tables.hasAttempting(runId, claimant.owner.id)
    ? { ...counted, untilMs: now + claimant.leaseMs }
    : counted;
  if (renewed !== lease) tables.putLease(runId, renewed);
  return true;
}
