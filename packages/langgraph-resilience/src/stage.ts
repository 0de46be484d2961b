import type { RunRecord } from '@holdfast/effect-ledger';
import { messagesIn } from './graph-messages.js';
import type { Snapshot } from './snapshot.js';
import { humanInputOf } from './turn.js';
import { isMadeGood } from './turn-ends.js';

/** Where a run stands: at its end, waiting for a person, in the middle, or without a trace in the checkpoints. */
export type Stage = 'ended' | 'waiting' | 'in-progress' | 'lost' | 'lost-with-input';

/**
 * Whether the run's answer stands in the newest checkpoint, with everything done, and was never given: the
 * process ended between the two. Whoever waited for it sends the message again.
 */
export function isAnswerUngiven(
  record: RunRecord,
  snapshot: Snapshot | undefined,
): snapshot is Snapshot {
  if (record.ended !== undefined || stageOf(record, snapshot) !== 'ended') return false;
  const messages = messagesIn(snapshot?.values) ?? [];
  return humanInputOf(messages)?.id === record.inputId && isMadeGood(messages, record.inputId);
}

/** The stage of a run, as the newest checkpoint of its thread shows it. */
export function stageOf(record: RunRecord, snapshot: Snapshot | undefined): Stage {
  if (record.ended !== undefined) return 'ended';
  const messages = messagesIn(snapshot?.values);
  const holdsInput =
    snapshot !== undefined &&
    // States that hold no messages cannot tell whose checkpoint it is.
    (messages === undefined || messages.some((message) => message.id === record.inputId));
  if (!holdsInput) return record.input === undefined ? 'lost-with-input' : 'lost';
  if (snapshot.interrupts.length > 0) return 'waiting';
  return snapshot.ended ? 'ended' : 'in-progress';
}
