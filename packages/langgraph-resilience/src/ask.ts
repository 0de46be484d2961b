import { type CallHost, problemText, type Question, readAnswers } from '@holdfast/call-guard';
import type { BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { AdapterParts } from './adapter-parts.js';
import type { GuardPause } from './pauses.js';
import { positionOf } from './pregel-config.js';
import { pauseAt, remember, saidTo, takeNow, taskOf } from './scratchpad.js';
import { isAIMessage } from './turn.js';

/** How a node that has asked for all its calls at once hands the answers to each: by the config. */
export const ANSWERS_KEY = '__holdfast_answers';

/** The config reaches the graphs inside of a tool too, so it says whose answers they are. */
export interface HandedAnswers {
  readonly checkpointNs: string | undefined;
  readonly answers: ReadonlyMap<string, unknown>;
}

/**
 * How a call asks a person: by LangGraph's interrupt, under its own id. Undefined where nothing keeps
 * checkpoints, so that nobody can be waited for, and where the guard is told to ask by message.
 */
export function askFor(
  callId: string,
  config: RunnableConfig | undefined,
  messages: readonly BaseMessage[] | undefined,
  parts: AdapterParts,
): CallHost['ask'] {
  if (!canAsk(config, parts)) return undefined;
  let given = answerTo(callId, config, messages);
  return async (question) => {
    if (given !== undefined) {
      const said = { [callId]: given };
      given = undefined;
      return said;
    }
    const problem = question.problem ?? (await problemOf(config, question, parts));
    const shown = problem === undefined ? question : { ...question, problem };
    const value: GuardPause = { type: 'holdfast', questions: [shown] };
    throw pauseAt(config, value, saidTo(config).before.length);
  };
}

/** Whether a question can be shown to a person, and waited for. */
export function canAsk(config: RunnableConfig | undefined, { ask }: AdapterParts): boolean {
  return ask === 'interrupt' && positionOf(config).saver !== undefined;
}

/** What was said to the call. It is taken out of LangGraph's hands, lest the tool's own pause be given it. */
function answerTo(
  callId: string,
  config: RunnableConfig | undefined,
  messages: readonly BaseMessage[] | undefined,
): unknown {
  const handed = handedAnswers(config);
  if (handed !== undefined) return handed.get(callId);
  const task = taskOf(config);
  if (task === undefined) return undefined;
  const answers = boxes.get(task) ?? new Map<string, unknown>();
  boxes.set(task, answers);
  const ids = callIdsBeside(callId, messages);
  const { before, now } = saidTo(config);
  const isAnswer = (value: unknown): value is Record<string, unknown> => isAnswers(value, ids);
  const toTask = before.filter(isAnswer);
  if (toTask.length > 0)
    remember(
      config,
      before.filter((value) => !isAnswer(value)),
      false,
    );
  // LangGraph keeps what was said to whichever pause, and gives it again beside what is said to this one.
  const toAny = now !== undefined && isAnswer(now.value) ? [now.value] : [];
  if (toAny.length > 0) takeNow(config);
  for (const value of [...toAny, ...toTask]) {
    for (const [id, answer] of Object.entries(value)) answers.set(id, answer);
  }
  return answers.get(callId);
}

/** What a node that knows the pauses of its task was told for its calls. */
export function handedAnswers(
  config: RunnableConfig | undefined,
): ReadonlyMap<string, unknown> | undefined {
  const handed: HandedAnswers | undefined = config?.configurable?.[ANSWERS_KEY];
  return handed !== undefined && handed.checkpointNs === positionOf(config).checkpointNs
    ? handed.answers
    : undefined;
}

/** What was taken from a task, for those of its calls that have not asked yet. */
const boxes = new WeakMap<object, Map<string, unknown>>();

/** Whether this is what the guard's questions are answered with: `{ [callId]: { decision } }`. */
export function isAnswers(
  value: unknown,
  callIds: readonly string[],
): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    entries.every(
      ([id, answer]) =>
        callIds.includes(id) &&
        typeof answer === 'object' &&
        answer !== null &&
        'decision' in answer,
    )
  );
}

/** The ids of the calls of the message that this call stands in. */
function callIdsBeside(
  callId: string,
  messages: readonly BaseMessage[] | undefined,
): readonly string[] {
  const message = (messages ?? []).findLast(
    (one) => isAIMessage(one) && (one.tool_calls ?? []).some(({ id }) => id === callId),
  );
  const calls = message !== undefined && isAIMessage(message) ? (message.tool_calls ?? []) : [];
  return [callId, ...calls.flatMap(({ id }) => (id === undefined ? [] : [id]))];
}

/** Something was said that is no answer to the question, perhaps to another pause: told, not taken. */
async function problemOf(
  config: RunnableConfig | undefined,
  question: Question,
  { registry }: AdapterParts,
): Promise<string | undefined> {
  const { now } = saidTo(config);
  if (now === undefined) return undefined;
  const read = await readAnswers(now.value, [question], registry);
  return 'problems' in read ? problemText(read.problems) : undefined;
}
