import type { CheckpointRef } from '@holdfast/effect-ledger';
import type { RunnableConfig } from '@langchain/core/runnables';
import { getConfig } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { isRecord } from './record.js';

/**
 * Every field of LangGraph's own that is read, here and in scratchpad.ts. `executionInfo`, `control`,
 * `durability` and `getConfig` are public; the `__pregel_` ones and `checkpoint_map` are not:
 * pregel-config.test.ts pins the version that was looked at.
 */
export interface PregelConfig extends RunnableConfig {
  readonly executionInfo?: {
    readonly checkpointId?: string;
    readonly checkpointNs?: string;
    readonly taskId?: string;
    readonly threadId?: string;
  };
  /** Made for each invocation of a graph, and shared by all its tasks. */
  readonly control?: object;
  readonly durability?: 'sync' | 'async' | 'exit';
  /** Writes to the custom stream of the run; nobody listens where that mode was not asked for. */
  readonly writer?: (chunk: unknown) => void;
  /** What a tool node adds for its tools. */
  readonly state?: unknown;
  readonly toolCallId?: string;
  readonly toolCall?: { readonly id?: string };
}

/** The position of running code in a graph, as far as its config tells. */
export interface GraphPosition {
  readonly threadId?: string;
  /** Namespace of the task. */
  readonly checkpointNs?: string;
  /** The checkpoint that the task was made from: it holds the AI message. */
  readonly checkpoint?: CheckpointRef;
  /** Those of the graphs around, nearest first: for a graph that keeps no checkpoints of its own. */
  readonly around: readonly CheckpointRef[];
  readonly taskId?: string;
  readonly step?: number;
  /** The place of the task among those that were sent with it; absent for a task of a node's own. */
  readonly sendIndex?: number;
  /** One object per invocation of the graph. */
  readonly invocation?: object;
  readonly durability: 'sync' | 'async' | 'exit';
  readonly saver?: object;
}

/** The config of the task that this code runs in, where there is one. */
export function currentConfig(): RunnableConfig | undefined {
  try {
    return getConfig();
  } catch {
    // Outside of a graph.
    return undefined;
  }
}

/** The config that a caller gave, or that of the code around it where it gave none: both are usual. */
export function configOf(given: RunnableConfig | undefined): RunnableConfig | undefined {
  return given?.configurable === undefined ? { ...currentConfig(), ...given } : given;
}

export function positionOf(config: RunnableConfig | undefined): GraphPosition {
  const pregel: PregelConfig = config ?? {};
  const configurable: Record<string, unknown> = pregel.configurable ?? {};
  const info = pregel.executionInfo ?? {};
  const threadId = text(configurable.thread_id) ?? info.threadId;
  const checkpointNs = info.checkpointNs ?? text(configurable.checkpoint_ns);
  const taskId = info.taskId ?? text(configurable.__pregel_task_id);
  const parentNs = parentOf(checkpointNs);
  const checkpointId = info.checkpointId ?? mapped(configurable.checkpoint_map, parentNs);
  const step: unknown = pregel.metadata?.langgraph_step;
  const saver: unknown = configurable.__pregel_checkpointer;
  const sendIndex = sendIndexIn(pregel.metadata?.langgraph_path);
  const checkpoint =
    threadId === undefined || checkpointId === undefined
      ? undefined
      : {
          threadId,
          ns: namespaceOf(configurable.checkpoint_map, checkpointId) ?? parentNs,
          id: checkpointId,
        };
  return {
    around: checkpoint === undefined ? [] : around(checkpoint, configurable.checkpoint_map),
    durability: pregel.durability ?? 'async',
    ...(threadId === undefined ? {} : { threadId }),
    ...(checkpointNs === undefined ? {} : { checkpointNs }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(typeof step === 'number' ? { step } : {}),
    ...(sendIndex === undefined ? {} : { sendIndex }),
    ...(pregel.control === undefined ? {} : { invocation: pregel.control }),
    ...(typeof saver === 'object' && saver !== null ? { saver } : {}),
    ...(checkpoint === undefined ? {} : { checkpoint }),
  };
}

/** Where the checkpoints of a graph lie, to be read. */
export function saverIn({
  saver,
}: GraphPosition): Pick<BaseCheckpointSaver, 'getTuple'> | undefined {
  return saver !== undefined && isSaver(saver) ? saver : undefined;
}

function isSaver(saver: object): saver is Pick<BaseCheckpointSaver, 'getTuple'> {
  return 'getTuple' in saver && typeof saver.getTuple === 'function';
}

/** The custom stream of the run, where there is one. */
export function writerOf(config: RunnableConfig | undefined): PregelConfig['writer'] {
  const pregel: PregelConfig = config ?? {};
  return pregel.writer;
}

/** Whether a tool is run by a node that does nothing else. */
export function isInToolNode(config: RunnableConfig | undefined): boolean {
  const pregel: PregelConfig = config ?? {};
  return pregel.toolCallId !== undefined && pregel.state !== undefined;
}

/** The id of the call that a tool runs for, where it was not given the call itself. */
export function callIdOf(config: RunnableConfig | undefined): string | undefined {
  const pregel: PregelConfig = config ?? {};
  return pregel.toolCall?.id ?? pregel.toolCallId;
}

/**
 * Whether the run is streamed by `streamEvents` v3. LangChain's agent then makes a promise for each tool
 * call that rejects when the tool throws, and that ends the process where nobody reads it.
 */
export function isProtocolStream(config: RunnableConfig | undefined): boolean {
  const callbacks: unknown = config?.callbacks;
  const handlers: unknown = isRecord(callbacks) ? callbacks.handlers : callbacks;
  return (
    Array.isArray(handlers) &&
    handlers.some(
      (handler: unknown) =>
        isRecord(handler) &&
        handler.name === 'StreamToolsHandler' &&
        // The older streams give it some.
        handler.namespaceOptions === undefined,
    )
  );
}

/** A text of the caller's `configurable`. */
export function configured(config: RunnableConfig | undefined, name: string): string | undefined {
  return text(config?.configurable?.[name]);
}

/** A task's namespace is its parent's with one more segment. */
export function parentOf(ns: string | undefined): string {
  return ns?.split('|').slice(0, -1).join('|') ?? '';
}

/** The namespace that a checkpoint lies in: a `task()` runs in one of its own, under its caller's checkpoint. */
function namespaceOf(map: unknown, checkpointId: string): string | undefined {
  if (!isRecord(map)) return undefined;
  const namespaces = Object.keys(map).filter((ns) => map[ns] === checkpointId);
  return namespaces.sort((a, b) => a.length - b.length).at(0);
}

/** A task that was sent lies under `["__pregel_push", index, …]`. */
function sendIndexIn(path: unknown): number | undefined {
  if (!Array.isArray(path) || path[0] !== '__pregel_push') return undefined;
  const index: unknown = path[1];
  return typeof index === 'number' ? index : undefined;
}

/** The checkpoints of the graphs that one runs in, nearest first. */
function around({ threadId, ns: inner }: CheckpointRef, map: unknown): readonly CheckpointRef[] {
  if (!isRecord(map)) return [];
  return Object.keys(map)
    .filter((ns) => ns !== inner && (ns === '' || inner.startsWith(`${ns}|`)))
    .sort((a, b) => b.length - a.length)
    .flatMap((ns) => {
      const id = mapped(map, ns);
      return id === undefined ? [] : [{ threadId, ns, id }];
    });
}

function mapped(map: unknown, ns: string): string | undefined {
  return isRecord(map) ? text(map[ns]) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
