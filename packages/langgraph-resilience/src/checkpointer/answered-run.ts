import { type CheckpointRef, isLedgerError } from '@holdfast/effect-ledger';
import type { Checkpoint } from '@langchain/langgraph-checkpoint';
import type { AdapterParts } from '../adapter-parts.js';
import { messagesIn } from '../graph-messages.js';
import { humanInputOf } from '../turn.js';
import { isMadeGood } from '../turn-ends.js';

/**
 * Writes down that a run is over when the checkpoint that was stored shows its turn answered and everything
 * made good: where no code of ours encloses the run, nothing else tells. Later the messages that show it may
 * be trimmed away, and an equal wish must not be taken for what a crash lost.
 */
export async function endAnsweredRun(
  ref: CheckpointRef,
  checkpoint: Checkpoint,
  { guard, stamps }: AdapterParts,
): Promise<void> {
  const run = ref.ns === '' ? stamps.runOf(ref.threadId) : undefined;
  // Until the report is handed out nobody has the answer, and whoever asks again must get it.
  if (run?.endsByReport) return;
  const messages = messagesIn(checkpoint.channel_values);
  if (run?.inputId === undefined || messages === undefined) return;
  const input = humanInputOf(messages);
  if (input?.id !== run.inputId || !isMadeGood(messages, input.id)) return;
  try {
    await guard.ledger.endRun(run.runId, 'complete');
  } catch (error) {
    // The checkpoint is stored all the same; that the run is over can still be seen from it.
    if (!isLedgerError(error)) throw error;
  }
}
