import type { CallHost } from '@holdfast/call-guard';
import type { CheckpointRef, Place } from '@holdfast/effect-ledger';
import type { BaseCheckpointSaver, CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { configured, type GraphPosition, parentOf, saverIn } from '../pregel-config.js';

/** How far up the course of a conversation is followed, in checkpoints. */
const MOST_STEPS = 500;

/**
 * Whether what was done at a place lies on the course that leads to where a call stands. The ids of
 * checkpoints are ordered by time (UUID v6), so what lies in time between a fork and the checkpoint that it
 * was made from belongs to a course that was left there. Forks are written down as such by LangGraph: a
 * replay from an older checkpoint, an `updateState` of one. A checkpoint that never landed was left by
 * nobody.
 */
export function branchFrom(position: GraphPosition): CallHost['branch'] {
  const saver = saverIn(position);
  const start = position.around.at(-1) ?? position.checkpoint;
  if (saver === undefined || start === undefined) return undefined;
  return async (place) => {
    try {
      return await courseOf(place, start, saver);
    } catch {
      // A saver that cannot be read tells nothing; nothing is done because of it.
      return 'unknown';
    }
  };
}

async function courseOf(
  { threadId, checkpointNs, checkpointId }: Place,
  start: CheckpointRef,
  saver: Pick<BaseCheckpointSaver, 'getTuple'>,
): Promise<'same' | 'left' | 'unknown'> {
  if (checkpointId === undefined || threadId !== start.threadId) return 'unknown';
  const at = (ns: string, id: string): Promise<CheckpointTuple | undefined> =>
    saver.getTuple({
      configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id },
    });
  let id: string | undefined = start.id;
  for (let steps = 0; id !== undefined && id > checkpointId; steps += 1) {
    if (steps === MOST_STEPS) return 'unknown';
    const tuple = await at(start.ns, id);
    if (tuple === undefined) return 'unknown';
    const before: string | undefined = configured(tuple.parentConfig, 'checkpoint_id');
    if (isFork(tuple) && before !== undefined && before < checkpointId) {
      const landed = await at(parentOf(checkpointNs), checkpointId);
      return landed === undefined ? 'unknown' : 'left';
    }
    id = before;
  }
  return 'same';
}

function isFork({ metadata }: CheckpointTuple): boolean {
  return metadata?.source === 'fork' || metadata?.source === 'update';
}
