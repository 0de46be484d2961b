import type { Run } from '@holdfast/call-guard';
import {
  type CheckpointRef,
  type CheckpointStamp,
  isLedgerError,
  type LedgerStore,
} from '@holdfast/effect-ledger';

/** How many threads are followed at once; checkpoints of others get no stamp. */
const MOST_THREADS = 10_000;

/**
 * Notes what the ledger knew when a checkpoint was written. A step that only read writes nothing: its
 * stamp waits for the next claim, and a newer one takes its place.
 */
export class Stamps {
  readonly #runOfThread = new Map<string, Run>();

  constructor(
    private readonly ledgerId: string,
    private readonly registryDigest: string,
  ) {}

  /** The run whose calls the thread's next checkpoints hold. */
  follow(run: Run): void {
    const { threadId } = run;
    if (threadId === undefined) return;
    // Newest last, so that the first is the one to forget.
    this.#runOfThread.delete(threadId);
    this.#runOfThread.set(threadId, run);
    const [oldest] = this.#runOfThread.keys();
    if (this.#runOfThread.size > MOST_THREADS && oldest !== undefined) {
      this.#runOfThread.delete(oldest);
    }
  }

  runOf(threadId: string): Run | undefined {
    return this.#runOfThread.get(threadId);
  }

  async after(ref: CheckpointRef, ledger: LedgerStore): Promise<void> {
    const run = this.#runOfThread.get(ref.threadId);
    if (run === undefined) return;
    const seq = run.view.seq();
    const stamp: CheckpointStamp = {
      ...ref,
      ledgerId: this.ledgerId,
      intentId: run.intentId,
      runId: run.runId,
      seq,
      registryDigest: this.registryDigest,
    };
    if (seq === run.stampedSeq) {
      run.pendingStamps.set(ref.ns, stamp);
      return;
    }
    try {
      await ledger.stamp(stamp);
      run.stampedSeq = seq;
      run.pendingStamps.delete(ref.ns);
    } catch (error) {
      if (!isLedgerError(error)) throw error;
      // The checkpoint itself is written; its stamp waits for a ledger that can be written.
      run.pendingStamps.set(ref.ns, stamp);
    }
  }
}
