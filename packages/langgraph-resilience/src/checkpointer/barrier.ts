import type { CallHost, Run } from '@holdfast/call-guard';
import type { CheckpointRef } from '@holdfast/effect-ledger';
import type { AdapterParts } from '../adapter-parts.js';
import type { GraphPosition } from '../pregel-config.js';
import { type Checkpoints, checkpointsOf } from './checkpoints.js';

/** Why the checkpoint that holds a call cannot be waited for. */
type Missing = 'no-checkpointer' | 'written-at-exit' | 'graph-keeps-none';
type Wait = ReturnType<NonNullable<CallHost['barrier']>>;

/**
 * What an irreversible call waits for: that the checkpoint which holds its AI message is durable. Where
 * there is none the ledger's key alone protects, if that is allowed.
 */
export function barrierOf(
  position: GraphPosition,
  run: Run,
  parts: AdapterParts,
): CallHost['barrier'] {
  const checkpoints = checkpointsOf(position.saver);
  const { checkpoint, around } = position;
  if (position.durability === 'exit') return () => withoutBarrier('written-at-exit', run, parts);
  if (checkpoints === undefined || checkpoint === undefined) {
    return () => withoutBarrier('no-checkpointer', run, parts);
  }
  return async (signal) => {
    // The outermost graph was given the saver; its first write may be on its way.
    if (around.length === 0 || (await checkpoints.keeps(checkpoint))) {
      return untilDurable(checkpoints, checkpoint, signal, parts);
    }
    const missing = await withoutBarrier('graph-keeps-none', run, parts);
    if (missing !== undefined) return missing;
    const kept = await nearestKept(checkpoints, around);
    return kept === undefined ? undefined : untilDurable(checkpoints, kept, signal, parts);
  };
}

/** From the outermost graph's checkpoint on, all is done again after a crash, at the latest. */
async function nearestKept(
  checkpoints: Checkpoints,
  around: readonly CheckpointRef[],
): Promise<CheckpointRef | undefined> {
  for (const ref of around) if (await checkpoints.keeps(ref)) return ref;
  return around.at(-1);
}

async function untilDurable(
  checkpoints: Checkpoints,
  ref: CheckpointRef,
  signal: AbortSignal | undefined,
  { guard }: AdapterParts,
): Wait {
  const startedAt = guard.clock.monotonicMs();
  const durable = await checkpoints.durable(ref, guard.limits.barrierMs, guard.clock, signal);
  if (durable) return undefined;
  return { checkpointId: ref.id, waitedMs: Math.round(guard.clock.monotonicMs() - startedAt) };
}

const told = new WeakSet<AdapterParts>();

const MESSAGES: Readonly<Record<Missing, string>> = {
  'no-checkpointer': 'no guard.checkpointer(saver): irreversible calls rely on their key alone',
  'written-at-exit':
    "durability 'exit' writes no checkpoint before the end: irreversible calls rely on their key alone",
  'graph-keeps-none':
    'a sub-graph keeps no checkpoints: its irreversible calls rely on their key alone',
};

async function withoutBarrier(missing: Missing, run: Run, parts: AdapterParts): Wait {
  if (parts.onNoBarrier === 'refuse') return { waitedMs: 0 };
  if (!told.has(parts)) {
    told.add(parts);
    parts.guard.emit('warning', run.subject, { code: 'no_barrier', message: MESSAGES[missing] });
  }
  return undefined;
}
