import type { RunnableConfig } from '@langchain/core/runnables';
import { distinct, type PendingInterrupt } from './pauses.js';
import { configured } from './pregel-config.js';

/** What a thread's newest checkpoint holds. */
export interface Snapshot {
  readonly values: unknown;
  /** Whether the graph stands at its end. */
  readonly ended: boolean;
  readonly interrupts: readonly PendingInterrupt[];
  readonly checkpointId?: string;
  readonly step?: number;
}

interface Stateful {
  getState(config: RunnableConfig): Promise<{
    readonly values: unknown;
    readonly config: RunnableConfig;
    readonly metadata?: { readonly step?: number };
    readonly tasks: readonly { readonly interrupts?: readonly PendingInterrupt[] }[];
  }>;
}

/** The newest checkpoint of a thread, or undefined where there is none or nothing keeps any. */
export async function snapshotOf(
  graph: object,
  config: RunnableConfig,
): Promise<Snapshot | undefined> {
  if (!isStateful(graph) || configured(config, 'thread_id') === undefined) return undefined;
  if (!hasCheckpointer(graph)) return undefined;
  const state = await graph.getState(config);
  const checkpointId = configured(state.config, 'checkpoint_id');
  if (checkpointId === undefined) return undefined;
  const step = state.metadata?.step;
  return {
    values: state.values,
    // Not `next`: it leaves out tasks whose results are stored beside the checkpoint, after which the
    // graph goes on.
    ended: state.tasks.length === 0,
    interrupts: distinct(state.tasks.flatMap((task) => task.interrupts ?? [])),
    checkpointId,
    ...(step === undefined ? {} : { step }),
  };
}

function isStateful(graph: object): graph is Stateful {
  return 'getState' in graph && typeof graph.getState === 'function';
}

/** An agent holds its graph, a graph its checkpointer. */
function hasCheckpointer(graph: object): boolean {
  const inner =
    'graph' in graph && typeof graph.graph === 'object' && graph.graph !== null
      ? graph.graph
      : graph;
  return 'checkpointer' in inner && typeof inner.checkpointer === 'object';
}
