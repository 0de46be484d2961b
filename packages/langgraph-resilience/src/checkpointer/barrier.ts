import type { CallHost, Run } from '@holdfast/call-guard';
import type { CheckpointRef } from '@holdfast/effect-ledger';
import type { AdapterParts } from '../adapter-parts.js';
import type { GraphPosition } from '../pregel-config.js';
import { type Checkpoints, checkpointsOf } from './checkpoints.js';

/**
 * What an irreversible call waits for: that the checkpoint which holds its AI message is durable.
 * Undefined where there is nothing to wait for: then the ledger's key alone protects, if that is allowed.
 */
export function barrierOf(
  position: GraphPosition,
  run: Run,
  parts: AdapterParts,
): CallHost['barrier'] {
  const checkpoints = checkpointsOf(position.saver);
  const { checkpoint } = position;
  if (checkpoints === undefined || checkpoint === undefined || position.durability === 'exit') {
    return withoutBarrier(position, run, parts);
  }
  return (signal) => untilDurable(checkpoints, checkpoint, signal, parts);
}

async function untilDurable(
  checkpoints: Checkpoints,
  ref: CheckpointRef,
  signal: AbortSignal | undefined,
  { guard }: AdapterParts,
): Promise<{ checkpointId: string; waitedMs: number } | undefined> {
  const startedAt = guard.clock.monotonicMs();
  const durable = await checkpoints.durable(ref, guard.limits.barrierMs, guard.clock, signal);
  if (durable) return undefined;
  return { checkpointId: ref.id, waitedMs: Math.round(guard.clock.monotonicMs() - startedAt) };
}

const told = new WeakSet<AdapterParts>();

function withoutBarrier(
  position: GraphPosition,
  run: Run,
  parts: AdapterParts,
): CallHost['barrier'] {
  if (parts.onNoBarrier === 'refuse') return async () => ({ waitedMs: 0 });
  return async () => {
    if (!told.has(parts)) {
      told.add(parts);
      parts.guard.emit('warning', run.subject, {
        code: 'no_barrier',
        message:
          position.durability === 'exit'
            ? "durability 'exit' writes no checkpoint before the end: irreversible calls rely on their key alone"
            : 'no guard.checkpointer(saver): irreversible calls rely on their key alone',
      });
    }
    return undefined;
  };
}
