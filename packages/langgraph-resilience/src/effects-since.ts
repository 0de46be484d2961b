import type { Effect, EffectKey, Settlement, Undo } from '@holdfast/effect-ledger';
import type { AdapterParts } from './adapter-parts.js';

/** What was done, or may have been, from a checkpoint on. */
export interface EffectSince {
  readonly key: EffectKey;
  readonly tool: string;
  /** The part of the tool's work, where the tool does it in steps. */
  readonly step?: string;
  readonly callId?: string;
  readonly runId: string;
  /** The checkpoint that holds the call. */
  readonly checkpointId: string;
  readonly state: 'succeeded' | 'unknown' | 'attempting';
  /** Wall-clock milliseconds, of its first attempt. */
  readonly startedAt: number;
  /** What became of a success. */
  readonly settlement?: Settlement['settled'];
  /** Whether a success could be taken back. */
  readonly undo?: Undo['undo'];
}

/**
 * The effects of a thread whose calls were made under this checkpoint or a later one, on whichever course of
 * the conversation, oldest first. Checkpoint ids are ordered by time.
 */
export async function effectsSince(
  threadId: string,
  checkpointId: string,
  { guard }: AdapterParts,
): Promise<readonly EffectSince[]> {
  const { ledger, tenant } = guard;
  const runs = await ledger.runs({ tenant, threadId });
  const rows = await Promise.all(runs.map(({ runId }) => ledger.find({ runId })));
  return rows
    .flat()
    .sort((a, b) => a.startSeq - b.startSeq)
    .flatMap((effect) => {
      const told = tell(effect);
      return told !== undefined && told.checkpointId >= checkpointId ? [told] : [];
    });
}

/** Undefined for what had no effect, and for what no checkpoint holds. */
function tell(effect: Effect): EffectSince | undefined {
  const { key, tool, step, runId, place, attempts } = effect;
  if (effect.state === 'failed' || effect.state === 'suspended') return undefined;
  if (place.checkpointId === undefined) return undefined;
  return {
    key,
    tool,
    ...(step === undefined ? {} : { step: step.name }),
    ...(place.callId === undefined ? {} : { callId: place.callId }),
    runId,
    checkpointId: place.checkpointId,
    state: effect.state,
    startedAt: attempts[0]?.startedAt ?? 0,
    ...(effect.state === 'succeeded'
      ? { settlement: effect.settlement.settled, undo: effect.undo.undo }
      : {}),
  };
}
