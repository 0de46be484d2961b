import type { Question } from '@holdfast/call-guard';
import { type Registry, SetupError, type SetupProblem } from '@holdfast/tool-registry';
import { Command, isCommand } from '@langchain/langgraph';
import { readPauseAnswers } from './pause-answers.js';
import { isGuardPause, type PendingInterrupt, type ToolQuestion } from './pauses.js';
import { isRecord } from './record.js';

/** Where an answer goes: to a pause as a whole, or to one of the questions that it shows. */
interface Target {
  readonly pause: PendingInterrupt & { readonly id: string };
  readonly question?: Question | ToolQuestion;
}

/**
 * The command for answers that are given by call id, `{ [callId]: … }`: LangGraph knows pauses by ids of its
 * own. What names no open pause, or several, is refused before the graph is entered. One value for the only
 * pause of a tool goes through as it is.
 *
 * @throws SetupError `answer_invalid`
 */
export async function addressed(
  input: unknown,
  pending: readonly PendingInterrupt[],
  registry: Registry,
): Promise<unknown> {
  if (!isCommand(input)) return input;
  const command = input as Command;
  const { resume } = command;
  if (resume === undefined || resume === null || pending.length === 0) return input;
  const pauses = pending.filter(hasId);
  // Pauses of another making, whose ids nobody knows.
  if (pauses.length < pending.length) return input;
  const targets = targetsOf(pauses);
  const [only] = pauses;
  const isForOnly =
    pauses.length === 1 &&
    !isGuardPause(only?.value) &&
    !(isRecord(resume) && Object.keys(resume).some((name) => targets.has(name)));
  if (isForOnly) return input;
  const problems: SetupProblem[] = [];
  const byPause = assign(resume, targets, problems);
  for (const { id, value } of pauses) {
    const said = byPause.get(id);
    if (said !== undefined && isGuardPause(value)) {
      const read = await readPauseAnswers(said, value, registry);
      if ('problems' in read) problems.push(...read.problems);
    }
  }
  const [first, ...others] = problems;
  if (first !== undefined) throw new SetupError('answer_invalid', [first, ...others]);
  return Object.assign(new Command({}), command, { resume: Object.fromEntries(byPause) });
}

function targetsOf(
  pauses: readonly (PendingInterrupt & { readonly id: string })[],
): ReadonlyMap<string, readonly Target[]> {
  const targets = new Map<string, readonly Target[]>();
  const add = (name: string, target: Target): void => {
    targets.set(name, [...(targets.get(name) ?? []), target]);
  };
  for (const pause of pauses) {
    add(pause.id, { pause });
    if (isGuardPause(pause.value)) {
      for (const question of pause.value.questions) add(question.callId, { pause, question });
    } else if (pause.callId !== undefined) add(pause.callId, { pause });
  }
  return targets;
}

/** What each pause is told, by LangGraph's ids. */
function assign(
  resume: unknown,
  targets: ReadonlyMap<string, readonly Target[]>,
  problems: SetupProblem[],
): ReadonlyMap<string, unknown> {
  const byPause = new Map<string, unknown>();
  const open = [...targets.keys()].join(', ');
  if (!isRecord(resume) || Object.keys(resume).length === 0) {
    problems.push({
      field: 'resume',
      reason: 'it names no call, and it is not certain whose answer it is',
      fix: `give { [id]: answer } with one of ${open}`,
    });
    return byPause;
  }
  for (const [name, answer] of Object.entries(resume)) {
    const [target, ...others] = targets.get(name) ?? [];
    if (target === undefined || others.length > 0) {
      problems.push({
        field: `resume.${name}`,
        reason:
          target === undefined
            ? 'no question is open under this id'
            : `${others.length + 1} questions are open under this id`,
        fix: `answer ${open}`,
      });
      continue;
    }
    const { pause, question } = target;
    const before = byPause.get(pause.id);
    byPause.set(
      pause.id,
      question === undefined ? answer : { ...(isRecord(before) ? before : {}), [name]: answer },
    );
  }
  return byPause;
}

function hasId(pause: PendingInterrupt): pause is PendingInterrupt & { readonly id: string } {
  return typeof pause.id === 'string';
}
