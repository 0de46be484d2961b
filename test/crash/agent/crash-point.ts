import type { LedgerStore } from '@holdfast/effect-ledger';
import type { Job, KillPoint } from './job.js';

/** Ends this process where it has to end. */
export interface CrashPoint {
  /** A call has got here. It does not get further where the process ends once another one is here, too. */
  reached(here: KillPoint, account: string): Promise<void>;
  /** The saver has the answers of these calls, or is about to have them. */
  stored(here: KillPoint, accounts: readonly string[]): void;
  /** Resolves when the call may begin: at once, or when the one before it is done. */
  turnOf(account: string): Promise<void>;
  /** The call has taken effect, and that is known. */
  done(account: string): void;
}

/**
 * `kill -9` by itself, where all calls that are to be under way at the end are at that point: what an
 * out-of-memory killer or a lost machine does. Nothing runs after it.
 */
export function crashPoint({ killAt, calls, accounts }: Job): CrashPoint {
  const last = accounts.at(-1) ?? accounts[0];
  const mustBeThere = calls === 'two at once' ? accounts : [last];
  const there = new Set<string>();
  let openTurn = (): void => {};
  const before = new Promise<void>((resolve) => {
    openTurn = resolve;
  });

  function arrive(here: KillPoint, account: string): boolean {
    if (here !== killAt || !mustBeThere.includes(account)) return false;
    there.add(account);
    if (there.size === mustBeThere.length) process.kill(process.pid, 'SIGKILL');
    return true;
  }

  return {
    async reached(here, account) {
      if (arrive(here, account)) await new Promise(() => {});
    },
    stored(here, answered) {
      for (const account of answered) arrive(here, account);
    },
    async turnOf(account) {
      if (killAt !== undefined && calls === 'two in turn' && account === last) await before;
    },
    done(account) {
      if (account !== last) openTurn();
    },
  };
}

/** The account that a call of this id charges: the scripted model says so in it. */
export function accountOf(callId: string | undefined): string {
  return /^call_(acct-[\w-]+)_/.exec(callId ?? '')?.[1] ?? '';
}

/** A ledger around whose claim and settlement the process may end. */
export function ledgerWithCrashPoints(
  ledger: LedgerStore,
  crash: CrashPoint,
  told: { readonly looked: () => void; readonly claimed: (found: string) => void },
): LedgerStore {
  return {
    ...ledger,
    async runs(query) {
      const runs = await ledger.runs(query);
      told.looked();
      return runs;
    },
    async claim(...claim) {
      const [{ place }] = claim;
      const account = accountOf(place.callId);
      await crash.turnOf(account);
      await crash.reached('before-claim', account);
      const found = await ledger.claim(...claim);
      await crash.reached('after-claim', account);
      told.claimed(found.found);
      return found;
    },
    async move(...move) {
      const moved = await ledger.move(...move);
      const [, , { to }] = move;
      if (to === 'succeeded' && 'moved' in moved) {
        const account = accountOf(moved.moved.place.callId);
        await crash.reached('after-settle', account);
        crash.done(account);
      }
      return moved;
    },
  };
}
