import {
  type Admission,
  type LedgerError,
  type LedgerStore,
  ownerIdentity,
} from '@holdfast/effect-ledger';
import type { Clock } from '../clock.js';
import { Run, type RunIdentity } from './run.js';

interface OpenRun {
  readonly run: Run;
  usedAt: number;
}

/**
 * The runs that this process works on, by run and invocation. Nothing tells when an invocation is over
 * where no code of ours encloses it, so a run that was not used for the idle time is forgotten; the
 * ledger still knows it.
 */
export class Runs {
  readonly #open = new Map<string, OpenRun>();

  constructor(
    private readonly parts: {
      readonly ledger: LedgerStore;
      readonly clock: Clock;
      readonly newId: () => string;
      readonly leaseMs: number;
      readonly idleEndMs: number;
    },
  ) {}

  /** The run of this invocation, made with its first use. `isNew` tells that it was. */
  open(
    identity: RunIdentity,
    invocation: string,
    admission?: Admission,
  ): { readonly run: Run; readonly isNew: boolean } {
    const { clock, ledger, leaseMs, newId } = this.parts;
    const now = clock.monotonicMs();
    this.#forgetIdle(now);
    const name = JSON.stringify([identity.tenant, identity.runId, identity.intentId, invocation]);
    const known = this.#open.get(name);
    if (known !== undefined) {
      known.usedAt = now;
      // Kept in the order of their use, so that the idle ones are first.
      this.#open.delete(name);
      this.#open.set(name, known);
      return { run: known.run, isNew: false };
    }
    const run = new Run(identity, {
      ledger,
      leaseMs,
      owner: ownerIdentity(newId()),
      ...(admission === undefined ? {} : { admission }),
    });
    this.#open.set(name, { run, usedAt: now });
    return { run, isNew: true };
  }

  /** A run whose ledger cannot be read: what asks it for effects is refused. Not remembered. */
  withoutLedger(identity: RunIdentity, error: LedgerError): Run {
    const { ledger, leaseMs, newId } = this.parts;
    const find = (): Promise<never> => Promise.reject(error);
    return new Run(identity, {
      ledger: { ...ledger, find },
      leaseMs,
      owner: ownerIdentity(newId()),
    });
  }

  #forgetIdle(now: number): void {
    for (const [name, { usedAt }] of this.#open) {
      if (now - usedAt < this.parts.idleEndMs) return;
      this.#open.delete(name);
    }
  }
}
