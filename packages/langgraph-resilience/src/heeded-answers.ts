import type { Mode } from '@holdfast/call-guard';
import { SetupError } from '@holdfast/tool-registry';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { GraphInterrupt } from '@langchain/langgraph';
import { type GuardPause, isGuardPause, type PendingInterrupt } from './pauses.js';
import { isResumed, pauseAt, saidTo, storedPauses, takeNow } from './scratchpad.js';

// A guard that acts on nothing would let the calls run that an enforcing one has asked about, whatever the
// answer is.

/** @throws SetupError `answer_invalid` */
export function checkAnswersAreHeeded(mode: Mode, pending: readonly PendingInterrupt[]): void {
  const asked = pending.flatMap(({ value }) => (asksOfGuard(value) ? callsIn(value) : []));
  if (mode === 'enforce' || asked.length === 0) return;
  throw new SetupError('answer_invalid', [
    { field: 'mode', reason: reasonOf(mode, asked.join(', ')), fix: FIX },
  ]);
}

/**
 * The pause in which the task waits for an enforcing guard's question to be answered, for one that is
 * continued by LangGraph alone. Undefined where it waits for none.
 */
export async function unheededPause(
  mode: Mode,
  config: RunnableConfig | undefined,
): Promise<GraphInterrupt | undefined> {
  if (!isResumed(config)) return undefined;
  const pending: readonly PendingInterrupt[] = await storedPauses(config);
  const pause = pending.map(({ value }) => value).find(asksOfGuard);
  if (pause === undefined) return undefined;
  // What was said is no other pause's to hear.
  takeNow(config);
  const problem = `mode: ${reasonOf(mode, callsIn(pause).join(', '))}; ${FIX}`;
  const questions = pause.questions.map((question) => ({ ...question, problem }));
  return pauseAt(config, { ...pause, questions }, saidTo(config).before.length);
}

const FIX = "continue this thread with mode 'enforce', and switch when nothing is open";

function reasonOf(mode: Mode, asked: string): string {
  return `it is ${mode}, and the guard waits for a person's answer about ${asked}: whatever it is, they would run`;
}

function asksOfGuard(value: unknown): value is GuardPause {
  return isGuardPause(value) && callsIn(value).length > 0;
}

/** The calls that the guard itself asks about. */
function callsIn({ questions }: GuardPause): readonly string[] {
  return questions.filter(({ kind }) => kind !== 'interrupt').map(({ callId }) => callId);
}
