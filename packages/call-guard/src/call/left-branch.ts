import type { Effect } from '@holdfast/effect-ledger';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { refuse, type Stopped, type Validated, type Wish } from './call.js';
import { settledBy } from './conflict.js';

/**
 * An equal effect that stands on a course of the conversation that was left on purpose, by a fork or a replay
 * from before it: whether it is wanted once more is a person's to say. Undefined where the effect is of this
 * course, or nothing tells; a crash that lost checkpoints is no fork.
 */
export async function leftBehindBranch(
  call: Validated,
  wish: Wish,
  effect: Effect,
  parts: GateParts,
): Promise<'again' | Stopped | undefined> {
  const { host } = call;
  const { checkpointId, threadId } = effect.place;
  // What this invocation did itself is on its own course.
  const isOlder = host.run.view.get(effect.key)?.inherited === true;
  if (host.branch === undefined || checkpointId === undefined || !isOlder) return undefined;
  if (threadId !== host.run.threadId) return undefined;
  if ((await host.branch(effect.place)) !== 'left') return undefined;
  const settled = await settledBy(call, wish, effect, parts);
  if (settled !== undefined) return settled;
  const { argsDigest } = wish;
  const details = { key: effect.key, argsDigest, checkpointId };
  return refuse(call, failed('fork_conflict', 'none', details));
}
