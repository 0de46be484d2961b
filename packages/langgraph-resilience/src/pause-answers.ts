import { type Question, readAnswers } from '@holdfast/call-guard';
import type { Registry, SetupProblem } from '@holdfast/tool-registry';
import type { GuardPause, ToolQuestion } from './pauses.js';
import { isRecord } from './record.js';

/** What was said to each question of a pause, by call id; or what is wrong with it as a whole. */
export type PauseAnswers =
  | {
      /** To the guard. */
      readonly guard: ReadonlyMap<string, unknown>;
      /** To the tools. */
      readonly tools: ReadonlyMap<string, unknown>;
    }
  | { readonly problems: readonly [SetupProblem, ...SetupProblem[]] };

/** Reads `{ [callId]: … }`, one entry per question: of the guard as it has them, of tools whatever they take. */
export async function readPauseAnswers(
  given: unknown,
  { questions }: GuardPause,
  registry: Registry,
): Promise<PauseAnswers> {
  const ofGuard = questions.filter((one): one is Question => one.kind !== 'interrupt');
  const ofTools = questions.filter((one): one is ToolQuestion => one.kind === 'interrupt');
  const said = isRecord(given) ? Object.entries(given) : [];
  const isOfTool = (id: string): boolean => ofTools.some(({ callId }) => callId === id);
  const toTools = new Map(said.filter(([id]) => isOfTool(id)));
  const toGuard = Object.fromEntries(said.filter(([id]) => !isOfTool(id)));
  const read =
    ofGuard.length > 0 || Object.keys(toGuard).length > 0 || !isRecord(given)
      ? await readAnswers(isRecord(given) ? toGuard : given, ofGuard, registry)
      : undefined;
  const problems: SetupProblem[] = [
    ...(read !== undefined && 'problems' in read ? read.problems : []),
    ...(isRecord(given) ? ofTools : [])
      .filter(({ callId }) => !toTools.has(callId))
      .map(({ callId, tool }) => ({
        field: `resume.${callId}`,
        reason: 'it is not answered',
        fix: `give what ${tool} waits for`,
      })),
  ];
  const [first, ...others] = problems;
  return first === undefined
    ? { guard: new Map(Object.entries(toGuard)), tools: toTools }
    : { problems: [first, ...others] };
}
