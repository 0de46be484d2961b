import type { RunnableConfig } from '@langchain/core/runnables';
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import {
  type GraphInterrupt,
  type Interrupt,
  interrupt,
  isGraphInterrupt,
} from '@langchain/langgraph';
import { positionOf, saverIn } from './pregel-config.js';
import { isRecord } from './record.js';

// LangGraph's bookkeeping of a task: what was said to its pauses, and how many graphs it has invoked.

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

export function scratchpadOf(
  config: RunnableConfig | undefined,
): Record<string, unknown> | undefined {
  const scratchpad: unknown = config?.configurable?.__pregel_scratchpad;
  return isRecord(scratchpad) ? scratchpad : undefined;
}

/** The task's bookkeeping itself: one object for each time that the task is run. */
export function taskOf(config: RunnableConfig | undefined): object | undefined {
  return scratchpadOf(config);
}
