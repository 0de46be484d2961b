import { randomUUID } from 'node:crypto';
import { claim } from './commands/claim.js';
import { decide } from './commands/decide.js';
import { move, submitEvidence } from './commands/move.js';
import { admit, consume, endRun, renew } from './commands/run.js';
import { standingDecisions } from './decision.js';
import type { Declaration } from './effect.js';
import { LedgerError } from './ledger-error.js';
import { memoryTables } from './memory-tables.js';
import type { Admission, LedgerStore } from './store.js';
import type { Transition } from './transitions.js';
import { wallClock } from './wall-clock.js';

export interface MemoryLedgerOptions {
  /** Wall-clock milliseconds. Default: the system's clock. */
  readonly now?: () => number;
  /** Makes the ledger's id, and ids of attempts that a move does not name. Default: random UUIDs. */
  readonly newId?: () => string;
}

/**
 * A ledger that is gone with its process: for tests and trial runs. It obeys the same law as the durable
 * ones and passes the same contract suite, and it cannot promise anything across a crash.
 *
 * @example
 * const ledger = memoryLedger();
 */
export function memoryLedger(options: MemoryLedgerOptions = {}): LedgerStore {
  const { now = wallClock, newId = randomUUID } = options;
  const tables = memoryTables();
  let closed = false;

  // Nothing is awaited inside a command, so each is atomic.
  const run = async <T>(work: () => T): Promise<T> => {
    if (closed) throw new LedgerError('closed', 'The ledger was closed before this.');
    return work();
  };

  return {
    kind: 'memory',
    location: 'memory',
    id: newId(),
    admit: (admission) => run(() => admit(tables, ownAdmission(admission), now())),
    endRun: (runId, status, consumedMs) =>
      run(() => endRun(tables, runId, { status, consumedMs }, now())),
    consume: (runId, consumedMs) => run(() => consume(tables, runId, consumedMs, now())),
    runs: (query) => run(() => tables.runs(query)),
    claim: (declaration, claimant, stamps = []) =>
      run(() => claim(tables, ownDeclaration(declaration), claimant, stamps, now())),
    move: (key, expect, transition, by) =>
      run(() => move(tables, key, expect, ownTransition(transition), { ...by, newId }, now())),
    submitEvidence: (key, attempt, transition) =>
      run(() => submitEvidence(tables, key, attempt, ownTransition(transition), now())),
    renew: (runId, claimant) => run(() => renew(tables, runId, claimant, now())),
    find: (query) => run(() => tables.effects(query)),
    decide: (decision) => run(() => decide(tables, decision, now())),
    decisions: (query) => run(() => standingDecisions(tables.decisionsOf(query))),
    stamp: (stamp) => run(() => tables.putStamp(stamp)),
    stampOf: (at) => run(() => tables.stampOf(at)),
    close: async () => {
      closed = true;
    },
  };
}

// Bytes are the caller's to reuse once a promise has resolved, so rows keep their own.

function ownAdmission(admission: Admission): Admission {
  return admission.input === undefined
    ? admission
    : { ...admission, input: admission.input.slice() };
}

function ownDeclaration(declaration: Declaration): Declaration {
  const { frozenArgs, before } = declaration;
  return {
    ...declaration,
    frozenArgs: frozenArgs.slice(),
    ...(before !== undefined && { before: before.slice() }),
  };
}

function ownTransition<T extends Transition>(transition: T): T {
  if (transition.to !== 'succeeded') return transition;
  const { result, undo } = transition;
  return {
    ...transition,
    result: result.kept ? { ...result, bytes: result.bytes.slice() } : result,
    undo: undo.undo === 'ready' ? { ...undo, args: undo.args.slice() } : undo,
  };
}
