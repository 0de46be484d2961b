import { problemText, type Question } from '@holdfast/call-guard';
import type { RunnableConfig } from '@langchain/core/runnables';
import { GraphInterrupt } from '@langchain/langgraph';
import type { AdapterParts } from './adapter-parts.js';
import { ANSWERS_KEY, type HandedAnswers, handedAnswers, isAnswers } from './ask.js';
import { messagesOf } from './graph-messages.js';
import { readPauseAnswers } from './pause-answers.js';
import {
  type GuardPause,
  isGuardPause,
  type PendingInterrupt,
  type ToolQuestion,
} from './pauses.js';
import { isInToolNode, positionOf } from './pregel-config.js';
import { isRecord } from './record.js';
import { ofCall, pauseAt, remember, saidTo, storedPauses, takeNow, taskOf } from './scratchpad.js';
import { isAIMessage } from './turn.js';

/** What was said in one round of questions to the tools of a task, by call id: how it is kept. */
interface Round {
  readonly type: 'holdfast';
  readonly said: Readonly<Record<string, unknown>>;
}

/** A call of the task that waits, and what it threw. */
export interface PausedCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
  readonly thrown: GraphInterrupt;
}

/** What was said now, and to which of the task's calls. */
interface Heard {
  readonly guard: ReadonlyMap<string, unknown>;
  readonly tools: ReadonlyMap<string, unknown>;
  /** To a graph that runs inside of a call, and keeps for itself what it is told. */
  readonly inside?: { readonly callId: string; readonly value: unknown };
}

const nothing: Heard = { guard: new Map(), tools: new Map() };

/**
 * The pauses of a task that makes several calls. LangGraph knows a task as one that pauses: it shows one of
 * its pauses, and hands the answers out in the order in which calls come to ask. Here each call has a scope
 * of its own; all pauses are shown with their call ids, and what is said goes to the call that it names.
 */
export class TaskPauses {
  private constructor(
    private readonly config: RunnableConfig,
    private readonly rounds: readonly Round[],
    private readonly heard: Heard,
  ) {}

  /**
   * Reads what was said. What is no answer to the questions that are open is refused: they are asked again,
   * with what was wrong, before any call runs.
   *
   * @throws GraphInterrupt
   */
  static async enter(config: RunnableConfig, parts: AdapterParts): Promise<TaskPauses> {
    const { before, now } = saidTo(config);
    const rounds = before.filter(isRound);
    const fresh = before.find((value) => !isRound(value));
    const said = fresh === undefined ? now : { value: fresh };
    if (said === undefined) return new TaskPauses(config, rounds, nothing);
    const pending: readonly PendingInterrupt[] = await storedPauses(config);
    const heard = await hear(said.value, pending, rounds.length, config, parts);
    // It is another task's, which runs beside this one.
    if (heard === undefined) return new TaskPauses(config, rounds, nothing);
    if (fresh === undefined) takeNow(config);
    const all: readonly Round[] =
      heard.tools.size === 0
        ? rounds
        : [...rounds, { type: 'holdfast', said: Object.fromEntries(heard.tools) }];
    remember(config, all, false);
    return new TaskPauses(config, all, heard);
  }

  /** What was said to the guard about this call. */
  isAnswered(callId: string): boolean {
    return this.heard.guard.has(callId);
  }

  /** Asks all of the guard's questions at once. */
  ask(questions: readonly Question[]): GraphInterrupt | undefined {
    const value: GuardPause = { type: 'holdfast', questions };
    return pauseAt(this.config, value, this.rounds.length);
  }

  /** The config in which one call runs: what it is told is what was said to it. */
  configFor(callId: string, positionInMessage: number): RunnableConfig {
    const { inside, guard } = this.heard;
    const own = ofCall(this.config, positionInMessage, {
      before: this.#saidTo(callId),
      ...(inside?.callId === callId ? { now: { value: inside.value } } : {}),
    });
    const handed: HandedAnswers = {
      checkpointNs: positionOf(this.config).checkpointNs,
      answers: guard,
    };
    return { ...own, configurable: { ...own?.configurable, [ANSWERS_KEY]: handed } };
  }

  /** The pause of the task as a whole. One that is a single tool's is shown as it is. */
  pauseOf(paused: readonly PausedCall[]): GraphInterrupt {
    remember(this.config, this.rounds, this.rounds.length > 0);
    const all = paused.flatMap((call) =>
      call.thrown.interrupts.map((pause: PendingInterrupt) => ({ call, pause })),
    );
    const own = all.filter((one) => this.#isOwn(one));
    const inside = all.filter((one) => !own.includes(one)).map(({ pause }) => pause);
    const [only] = own;
    if (only === undefined) return new GraphInterrupt(inside as GraphInterrupt['interrupts']);
    const questions = own.flatMap(({ call, pause }) => questionsIn(pause, call));
    const isSingle = own.length === 1 && !isGuardPause(only.pause.value);
    const value: unknown = isSingle ? only.pause.value : { type: 'holdfast', questions };
    const thrown = pauseAt(this.config, value, this.rounds.length);
    // Something did pause, so there is a checkpointer.
    if (thrown === undefined) throw new TypeError('a tool paused where nothing can pause');
    const id = idIn(thrown);
    const shown: PendingInterrupt = isSingle
      ? { ...only.pause, ...(id === undefined ? {} : { id }) }
      : { value, ...(id === undefined ? {} : { id }) };
    thrown.interrupts = [shown, ...inside] as GraphInterrupt['interrupts'];
    return thrown;
  }

  #saidTo(callId: string): readonly unknown[] {
    return this.rounds.flatMap(({ said }) => (Object.hasOwn(said, callId) ? [said[callId]] : []));
  }

  /** A pause of the call itself. Those of graphs inside of it have ids of their own, and are left alone. */
  #isOwn({
    call,
    pause,
  }: {
    readonly call: PausedCall;
    readonly pause: PendingInterrupt;
  }): boolean {
    if (pause.id === undefined) return true;
    const answered = this.#saidTo(call.callId).length;
    return pause.id === idIn(pauseAt(this.config, undefined, answered));
  }
}

/** By the task's own bookkeeping, of which there is one for each time that it is run. */
const shared = new WeakMap<object, Promise<TaskPauses>>();

/**
 * The pauses of the task around a tool, where a tool node of another making runs several calls in one: it
 * shows the first pause that it sees, but each answer still goes to the call that it is for. Undefined for a
 * call that has its task to itself, and in nodes whose own code may pause as well.
 */
export function pausesAround(
  config: RunnableConfig | undefined,
  parts: AdapterParts,
): Promise<TaskPauses> | undefined {
  const task = taskOf(config);
  if (config === undefined || task === undefined) return undefined;
  if (handedAnswers(config) !== undefined || !sharesTask(config)) return undefined;
  const known = shared.get(task);
  if (known !== undefined) return known;
  const entered = TaskPauses.enter(config, parts);
  shared.set(task, entered);
  return entered;
}

function sharesTask(config: RunnableConfig): boolean {
  if (!isInToolNode(config) || positionOf(config).sendIndex !== undefined) return false;
  return callIdsIn(config).length > 1;
}

async function hear(
  value: unknown,
  pending: readonly PendingInterrupt[],
  answered: number,
  config: RunnableConfig,
  parts: AdapterParts,
): Promise<Heard | undefined> {
  if (pending.length === 0) return undefined;
  const id = idIn(pauseAt(config, undefined, answered));
  const own = pending.find((pause) => pause.id === id);
  const inside = pending.filter((pause) => pause !== own);
  const again = (questions?: GuardPause['questions']): GraphInterrupt => {
    const shown =
      own === undefined || questions === undefined
        ? own
        : { ...own, value: { type: 'holdfast', questions } };
    return new GraphInterrupt([
      ...(shown === undefined ? [] : [shown]),
      ...inside,
    ] as GraphInterrupt['interrupts']);
  };
  if (own === undefined) {
    const [only, ...others] = inside;
    const callId = only?.within?.[0] ?? only?.callId;
    // One answer for several: nobody can tell whose it is.
    if (callId === undefined || others.length > 0) throw again();
    return { ...nothing, inside: { callId, value } };
  }
  if (!isGuardPause(own.value)) return hearOne(value, own, callIdsIn(config));
  const read = await readPauseAnswers(value, own.value, parts.registry);
  if (!('problems' in read)) return read;
  const problem = problemText(read.problems);
  throw again(own.value.questions.map((question) => ({ ...question, problem })));
}

/**
 * What was said to the only tool that waits: anything, or that by its call id. LangGraph keeps what was said
 * last without a name beside the checkpoint and hands it out again when the graph is entered without an
 * answer, so answers to other calls are those of an earlier round.
 */
function hearOne(
  value: unknown,
  { callId }: PendingInterrupt,
  callIds: readonly string[],
): Heard | undefined {
  if (callId === undefined) return undefined;
  const names = isRecord(value) ? Object.keys(value) : [];
  if (!isRecord(value) || names.length === 0 || !names.every((name) => callIds.includes(name))) {
    return { ...nothing, tools: new Map([[callId, value]]) };
  }
  return names.length === 1 && names[0] === callId && !isAnswers(value, callIds)
    ? { ...nothing, tools: new Map([[callId, value[callId]]]) }
    : undefined;
}

function callIdsIn(config: RunnableConfig): readonly string[] {
  const last = (messagesOf(config) ?? []).findLast(isAIMessage);
  return (last?.tool_calls ?? []).flatMap(({ id }) => (id === undefined ? [] : [id]));
}

function questionsIn(
  { value }: PendingInterrupt,
  { callId, tool, args }: PausedCall,
): GuardPause['questions'] {
  if (isGuardPause(value)) return value.questions;
  const question: ToolQuestion = { callId, kind: 'interrupt', tool, args, value };
  return [question];
}

function idIn(thrown: GraphInterrupt | undefined): string | undefined {
  return thrown?.interrupts[0]?.id;
}

function isRound(value: unknown): value is Round {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === 'holdfast' &&
    'said' in value
  );
}
