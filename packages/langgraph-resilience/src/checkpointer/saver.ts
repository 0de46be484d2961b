import type { CheckpointRef } from '@holdfast/effect-ledger';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { AdapterParts } from '../adapter-parts.js';
import { endAnsweredRun } from './answered-run.js';
import { CHECKPOINTS, Checkpoints } from './checkpoints.js';

/**
 * A saver that behaves as the one it wraps, methods included that this version does not know. Checkpoints
 * and metadata reach it unaltered; what we note about them lies in the ledger.
 */
export function guardSaver<S extends BaseCheckpointSaver>(saver: S, parts: AdapterParts): S {
  if (CHECKPOINTS in saver) return saver;
  const checkpoints = new Checkpoints(async (ref) => {
    const { threadId, ns, id } = ref;
    const configurable = { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id };
    return (await saver.getTuple({ configurable })) !== undefined;
  });

  const put: BaseCheckpointSaver['put'] = async (config, checkpoint, metadata, newVersions) => {
    const ref = refOf(config, checkpoint.id);
    const write = saver.put(config, checkpoint, metadata, newVersions);
    const stored = await (ref === undefined ? write : checkpoints.written(ref, write));
    if (ref !== undefined) {
      await parts.stamps.after(ref, parts.guard.ledger);
      await endAnsweredRun(ref, checkpoint, parts);
    }
    return stored;
  };

  const own: Record<PropertyKey, unknown> = { [CHECKPOINTS]: checkpoints, put };
  return new Proxy(saver, {
    has: (target, name) => name === CHECKPOINTS || Reflect.has(target, name),
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name];
      const value: unknown = Reflect.get(target, name, target);
      // Bound to the saver itself, for the sake of private fields.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function refOf(config: RunnableConfig, id: string): CheckpointRef | undefined {
  const threadId: unknown = config.configurable?.thread_id;
  const ns: unknown = config.configurable?.checkpoint_ns;
  if (typeof threadId !== 'string') return undefined;
  return { threadId, ns: typeof ns === 'string' ? ns : '', id };
}
