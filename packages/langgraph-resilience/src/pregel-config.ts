import type { CheckpointRef } from '@holdfast/effect-ledger';
import type { BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import {
  type GraphInterrupt,
  getConfig,
  type Interrupt,
  interrupt,
  isGraphInterrupt,
} from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';

/**
 * Every field of LangGraph's own that is read, in one place. `executionInfo`, `control`, `durability` and
 * `getConfig` are public; the `__pregel_` ones and `checkpoint_map` are not: pregel-config.test.ts pins
 * the version that was looked at.
 */
interface PregelConfig extends RunnableConfig {
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

/** How many graphs one tool call may invoke before its namespaces run into those of the next call. */
const GRAPHS_PER_CALL = 1_000;

/**
 * The config for one call of a task that makes several. LangGraph numbers the graphs that a task invokes in
 * the order in which it happens to invoke them, and each resumes from the checkpoints under its number. A
 * call that is answered without running again, or later than its sibling, would give its number away; so
 * each call counts for itself, from its place in the message on.
 *
 * @param said what persons said to this call alone; without it, what they said is the task's and whichever
 *   pause comes first is given it
 */
export function ofCall(
  config: RunnableConfig | undefined,
  positionInMessage: number,
  said?: Said,
): RunnableConfig | undefined {
  const scratchpad = scratchpadOf(config);
  if (scratchpad === undefined) return config;
  const isAlone = positionOf(config).sendIndex !== undefined;
  const own: Record<PropertyKey, unknown> = {
    subgraphCounter: isAlone ? 0 : positionInMessage * GRAPHS_PER_CALL,
    ...(said === undefined ? {} : answeredWith(said)),
  };
  const ofOwn = new Proxy(scratchpad, {
    get: (target, name) =>
      Object.hasOwn(own, name) ? own[name] : Reflect.get(target, name, target),
    set: (target, name, value) => {
      if (!Object.hasOwn(own, name)) return Reflect.set(target, name, value, target);
      own[name] = value;
      return true;
    },
  });
  const { __pregel_send: send } = config?.configurable ?? {};
  return {
    ...config,
    configurable: {
      ...config?.configurable,
      __pregel_scratchpad: ofOwn,
      ...(said === undefined ? {} : { __pregel_send: withoutResumes(send) }),
    },
  };
}

/** What persons said to the pauses of a task: in earlier rounds, and now to whichever it is meant for. */
export interface Said {
  readonly before: readonly unknown[];
  readonly now?: { readonly value: unknown };
}

/** LangGraph's bookkeeping of a task's pauses, for one that has been told `said`. */
function answeredWith({ before, now }: Said): Record<string, unknown> {
  const own: Record<string, unknown> = {
    resume: [...before],
    interruptCounter: -1,
    nullResume: now?.value,
    consumeNullResume() {
      const { nullResume } = own;
      own.nullResume = undefined;
      return nullResume;
    },
  };
  return own;
}

/** What one call was told is written down with the task's pauses, not by the call. */
function withoutResumes(send: unknown): unknown {
  if (typeof send !== 'function') return send;
  return (writes: readonly (readonly [string, unknown])[]) => {
    const others = writes.filter(([channel]) => channel !== '__resume__');
    if (others.length > 0) Reflect.apply(send, undefined, [others]);
  };
}

export function saidTo(config: RunnableConfig | undefined): Said {
  const scratchpad = scratchpadOf(config);
  const before = scratchpad?.resume;
  const now: unknown = scratchpad?.nullResume;
  return {
    before: Array.isArray(before) ? [...before] : [],
    ...(now === undefined ? {} : { now: { value: now } }),
  };
}

/** What was said now is taken: no other pause of the graph is given it. */
export function takeNow(config: RunnableConfig | undefined): void {
  const scratchpad = scratchpadOf(config);
  const consume: unknown = scratchpad?.consumeNullResume;
  if (typeof consume === 'function') Reflect.apply(consume, scratchpad, []);
}

/** What was said to the task in earlier rounds is this, from here on; kept if it pauses again. */
export function remember(
  config: RunnableConfig | undefined,
  before: readonly unknown[],
  kept: boolean,
): void {
  const list = scratchpadOf(config)?.resume;
  if (Array.isArray(list)) list.splice(0, list.length, ...before);
  const send: unknown = config?.configurable?.__pregel_send;
  if (kept && typeof send === 'function') {
    Reflect.apply(send, undefined, [[['__resume__', [...before]]]]);
  }
}

/**
 * What `interrupt(value)` throws in this task after so many answered pauses; undefined where nothing keeps
 * checkpoints and so nobody can be waited for.
 */
export function pauseAt(
  config: RunnableConfig | undefined,
  value: unknown,
  answered: number,
): GraphInterrupt | undefined {
  if (config === undefined || positionOf(config).saver === undefined) return undefined;
  const before = new Array<unknown>(answered).fill(undefined);
  const scratchpad = { ...answeredWith({ before }), interruptCounter: answered - 1 };
  const own = {
    ...config,
    configurable: { ...config.configurable, __pregel_scratchpad: scratchpad },
  };
  try {
    AsyncLocalStorageProviderSingleton.runWithConfig(own, () => interrupt(value));
  } catch (thrown) {
    if (isGraphInterrupt(thrown)) return thrown;
    throw thrown;
  }
  throw new TypeError('interrupt() returned although nobody has answered');
}

/** Whether its graph goes on from a checkpoint, and was not given anything new. */
export function isResumed(config: RunnableConfig | undefined): boolean {
  return config?.configurable?.__pregel_resuming === true;
}

/** The pauses that the task is known to wait in, as they lie beside the checkpoint that it was made from. */
export async function storedPauses(
  config: RunnableConfig | undefined,
): Promise<readonly Interrupt[]> {
  const position = positionOf(config);
  const { checkpoint, taskId } = position;
  const saver = saverIn(position);
  if (checkpoint === undefined || saver === undefined) return [];
  const { threadId, ns, id } = checkpoint;
  const tuple = await saver.getTuple({
    configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id },
  });
  return (tuple?.pendingWrites ?? []).flatMap(([task, channel, value]) =>
    task === taskId && channel === '__interrupt__' && Array.isArray(value) ? value : [],
  );
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

function scratchpadOf(config: RunnableConfig | undefined): Record<string, unknown> | undefined {
  const scratchpad: unknown = config?.configurable?.__pregel_scratchpad;
  return isRecord(scratchpad) ? scratchpad : undefined;
}

/** The task's bookkeeping itself: one object for each time that the task is run. */
export function taskOf(config: RunnableConfig | undefined): object | undefined {
  return scratchpadOf(config);
}

/** The custom stream of the run, where there is one. */
export function writerOf(config: RunnableConfig | undefined): PregelConfig['writer'] {
  const pregel: PregelConfig = config ?? {};
  return pregel.writer;
}

/** The messages that the task was given; undefined where its state is of another kind. */
export function messagesOf(config: RunnableConfig | undefined): readonly BaseMessage[] | undefined {
  const pregel: PregelConfig = config ?? {};
  const scratchpad: unknown = pregel.configurable?.__pregel_scratchpad;
  const input = isRecord(scratchpad) ? scratchpad.currentTaskInput : undefined;
  return messagesIn(pregel.state) ?? messagesIn(input);
}

export function messagesIn(state: unknown): readonly BaseMessage[] | undefined {
  if (Array.isArray(state) && state.every(isMessage)) return state;
  if (!isRecord(state) || !Array.isArray(state.messages)) return undefined;
  return state.messages.every(isMessage) ? state.messages : undefined;
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isMessage(value: unknown): value is BaseMessage {
  return isRecord(value) && typeof value.getType === 'function';
}
