import { isLedgerError, type Moved } from '@holdfast/effect-ledger';
import type { EventSubject } from '../events/event.js';
import type { GateParts } from '../gate-parts.js';
import { backoffMs } from '../retry/backoff.js';

/** How often the settlement is tried before the call goes on without it. */
const MOST_WRITES = 6;
const WRITE_BACKOFF = { backoffBaseMs: 50, backoffCapMs: 2_000 };

/**
 * Writes what happened until it is written, for a while before the call goes on and then in the background.
 * Only the write is tried again, never the effect. `takeIn` is told what came of it; undefined if that is
 * not known yet.
 */
export async function writeDown(
  write: () => Promise<Moved>,
  takeIn: (moved: Moved) => void,
  subject: EventSubject,
  parts: GateParts,
): Promise<Moved | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      const moved = await write();
      takeIn(moved);
      return moved;
    } catch (error) {
      if (!isLedgerError(error)) throw error;
      if (tries === MOST_WRITES) break;
      await parts.clock.sleep(backoffMs(tries, WRITE_BACKOFF, parts.random) + 1);
    }
  }
  parts.emit('warning', subject, {
    code: 'settlement_delayed',
    message: `${subject.tool}: the ledger cannot be written; its row stays open until it can`,
  });
  keepWriting(write, takeIn, parts);
  return undefined;
}

/** In the background, as long as the process lives for other reasons. */
function keepWriting(
  write: () => Promise<Moved>,
  takeIn: (moved: Moved) => void,
  parts: GateParts,
): void {
  parts.clock.alarm(WRITE_BACKOFF.backoffCapMs, false, () => {
    write().then(takeIn, () => keepWriting(write, takeIn, parts));
  });
}
