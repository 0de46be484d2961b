import {
  type Admission,
  type LedgerError,
  type LedgerStore,
  ownerIdentity,
  type RunRecord,
} from '@holdfast/effect-ledger';
import type { Clock } from '../clock.js';
import type { Emit } from '../events/emitter.js';
import type { Locale } from '../failure-texts/user.js';
import type { Modes } from '../mode.js';
import { Deadline } from './deadline.js';
import { Run, type RunIdentity } from './run.js';
import type { CheckedRunLimits } from './run-limits.js';

/** How a run begins. */
interface Beginning {
  /** What is written down of the run before its first effect, put together then. */
  readonly admission?: (() => Admission) | undefined;
  /** What earlier invocations consumed, in milliseconds. Absent for a run that is new. */
  readonly consumedMs?: number | undefined;
  readonly limits: CheckedRunLimits;
}

interface OpenRun {
  readonly run: Run;
  readonly invocation: string;
  usedAt: number;
}

/**
 * The runs that this process works on, by run and invocation. Nothing tells when an invocation is over
 * where no code of ours encloses it, so a run that was not used for the idle time is forgotten; the
 * ledger still knows it.
 */
export class Runs {
  readonly #open = new Map<string, OpenRun>();
  /** The one that was used last, which most calls belong to. */
  #last: OpenRun | undefined;
  /** With their number, what tells the owners of its runs from all others'. */
  readonly #instance: string;
  #made = 0;

  constructor(
    private readonly parts: {
      readonly ledger: LedgerStore;
      readonly clock: Clock;
      readonly newId: () => string;
      readonly leaseMs: number;
      readonly idleEndMs: number;
      /** As they are switched now; a run keeps them. */
      readonly modes: () => Modes;
      readonly locale: Locale;
      readonly emit: Emit;
      readonly expectedMs: (tool: string) => number;
    },
  ) {
    this.#instance = parts.newId();
  }

  /** The run of this invocation, made with its first use. `isNew` tells that it was. */
  open(
    identity: RunIdentity,
    invocation: string,
    admission?: Admission | RunRecord,
    limits?: CheckedRunLimits,
  ): { readonly run: Run; readonly isNew: boolean } {
    const { clock } = this.parts;
    const now = clock.monotonicMs();
    this.#forgetIdle(now);
    const last = this.#last;
    if (last !== undefined && isOf(last, identity, invocation)) {
      last.usedAt = now;
      return { run: last.run, isNew: false };
    }
    const name = JSON.stringify([identity.tenant, identity.runId, identity.intentId, invocation]);
    const known = this.#open.get(name);
    if (known !== undefined) {
      known.usedAt = now;
      // Kept in the order of their use, so that the idle ones are first.
      this.#open.delete(name);
      this.#open.set(name, known);
      this.#last = known;
      return { run: known.run, isNew: false };
    }
    const run = this.begin(identity, beginningOf(admission, limits));
    this.#last = { run, invocation, usedAt: now };
    this.#open.set(name, this.#last);
    return { run, isNew: true };
  }

  /** A run that nobody has to find again: whoever begins it holds it. Not remembered. */
  begin(identity: RunIdentity, beginning: Beginning): Run {
    const run = this.#make(identity, this.parts.ledger, beginning);
    this.#tellDeadline(run, beginning);
    return run;
  }

  /** A run whose ledger cannot be read: what asks it for effects is refused. Not remembered. */
  withoutLedger(identity: RunIdentity, error: LedgerError): Run {
    const find = (): Promise<never> => Promise.reject(error);
    return this.#make(identity, { ...this.parts.ledger, find }, { limits: {} });
  }

  #make(
    identity: RunIdentity,
    ledger: LedgerStore,
    { admission, consumedMs = 0, limits }: Beginning,
  ): Run {
    const { clock, leaseMs, locale, modes, expectedMs } = this.parts;
    const { deadlineMs, deadlineAtMs } = limits;
    const deadline = new Deadline({
      clock,
      consumedMs,
      ...(deadlineMs === undefined ? {} : { capMs: deadlineMs }),
      ...(deadlineAtMs === undefined ? {} : { atMs: deadlineAtMs }),
    });
    this.#made += 1;
    return new Run(identity, {
      ledger,
      leaseMs,
      modes: modes(),
      locale,
      deadline,
      expectedMs,
      owner: ownerIdentity(`${this.#instance}/${this.#made}`),
      admission,
    });
  }

  #tellDeadline(run: Run, { consumedMs, admission }: Beginning): void {
    const { deadline } = run.budget;
    const { capMs } = deadline;
    if (capMs === undefined) return;
    const isContinued = admission !== undefined && consumedMs !== undefined;
    const source = isContinued ? 'resumed' : 'run';
    this.parts.emit('budget_allocated', run.subject, {
      deadlineMs: capMs,
      consumedMs: deadline.consumedMs(),
      source,
    });
  }

  #forgetIdle(now: number): void {
    for (const [name, { usedAt }] of this.#open) {
      if (now - usedAt < this.parts.idleEndMs) return;
      this.#open.delete(name);
    }
    this.#last = undefined;
  }
}

function isOf({ run, invocation }: OpenRun, identity: RunIdentity, invokedBy: string): boolean {
  return (
    run.runId === identity.runId &&
    run.intentId === identity.intentId &&
    run.tenant === identity.tenant &&
    invocation === invokedBy
  );
}

/** A run under `limits`, else under those that its admission records. */
function beginningOf(
  admission: Admission | RunRecord | undefined,
  limits: CheckedRunLimits = recordedLimits(admission) ?? {},
): Beginning {
  if (admission === undefined) return { limits };
  const consumedMs = 'consumedMs' in admission ? admission.consumedMs : undefined;
  return { admission: () => admission, consumedMs, limits };
}

/** The limits that a run was accepted with: a resumed run goes on under them. Undefined if there were none. */
export function recordedLimits(
  admission: Admission | RunRecord | undefined,
): CheckedRunLimits | undefined {
  const { deadlineMs, deadlineAtMs } = admission?.limits ?? {};
  if (deadlineMs === undefined && deadlineAtMs === undefined) return undefined;
  return {
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(deadlineAtMs === undefined ? {} : { deadlineAtMs }),
  };
}
