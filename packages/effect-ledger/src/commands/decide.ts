import { afterDeciding, type Decision, type NewDecision } from '../decision.js';
import type { LedgerTables } from '../ledger-tables.js';

export function decide(tables: LedgerTables, decision: NewDecision, now: number): Decision {
  const made = tables.decisionsOf(decision);
  const { stands, isNew } = afterDeciding(made, { ...decision, at: now });
  if (isNew) tables.insertDecision(stands);
  return stands;
}
