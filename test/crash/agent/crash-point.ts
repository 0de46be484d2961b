import type { LedgerStore } from '@holdfast/effect-ledger';
import type { KillPoint } from './job.js';

/** Ends this process here if this is where it has to end. */
export type CrashPoint = (here: KillPoint) => void;

/** `kill -9` by itself: what an out-of-memory killer or a lost machine does. Nothing runs after it. */
export function crashPoint(killAt: KillPoint | undefined): CrashPoint {
  return (here) => {
    if (here === killAt) process.kill(process.pid, 'SIGKILL');
  };
}

/** A ledger around whose claim and settlement the process may end. */
export function ledgerWithCrashPoints(
  ledger: LedgerStore,
  reached: CrashPoint,
  claimed: (found: string) => void,
): LedgerStore {
  return {
    ...ledger,
    async claim(...claim) {
      reached('before-claim');
      const found = await ledger.claim(...claim);
      reached('after-claim');
      claimed(found.found);
      return found;
    },
    async move(...move) {
      const moved = await ledger.move(...move);
      const [, , { to }] = move;
      if (to === 'succeeded') reached('after-settle');
      return moved;
    },
  };
}
