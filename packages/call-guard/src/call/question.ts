import {
  type AnyToolEntry,
  type Registry,
  SetupError,
  type SetupProblem,
} from '@holdfast/tool-registry';
import { parseArguments } from '../arguments/parse.js';
import { unknownArguments } from '../arguments/unknown-arguments.js';
import { isRecord } from '../record.js';

/** What a person may say to a question: do it, never do it, take the earlier result, do it once more. */
export type Choice = 'approve' | 'reject' | 'reuse' | 'again';

/** A question of the guard about one call. Nothing of the call has happened when it is asked. */
export interface Question {
  readonly callId: string;
  readonly kind: 'confirmation_required';
  readonly tool: string;
  /** As they would be sent. */
  readonly args: unknown;
  /** It cannot be undone, or an equal call stands in the same message. */
  readonly why: 'irreversible' | 'repeat';
  readonly choices: readonly Choice[];
  /** What was wrong with the answer that was given before. */
  readonly problem?: string;
}

/** What a person said about one call. */
export interface Answer {
  readonly decision: Choice;
  /** The arguments to run with instead, all of them; with `approve` only. */
  readonly input?: unknown;
  readonly note?: string;
  /** Who decided. Default: `person`. */
  readonly by?: string;
}

/** An answer to each question, or everything that is wrong with what was given. */
export type ReadAnswers =
  | { readonly answers: ReadonlyMap<string, Answer> }
  | { readonly problems: readonly [SetupProblem, ...SetupProblem[]] };

const FIELDS: ReadonlySet<string> = new Set(['decision', 'input', 'note', 'by']);

/**
 * Reads `{ [callId]: answer }`, one entry per question. Pure, apart from the schemas that read `input`:
 * what is unknown or cannot be is refused as a whole, before anything is done.
 */
export async function readAnswers(
  given: unknown,
  questions: readonly Question[],
  registry: Registry,
): Promise<ReadAnswers> {
  const ids = questions.map(({ callId }) => callId);
  if (!isRecord(given)) {
    const reason = `${describe(given)} names no call`;
    return { problems: [{ field: 'resume', reason, fix: `give { ${ids.join(', ')} }` }] };
  }
  const problems: SetupProblem[] = Object.keys(given)
    .filter((id) => !ids.includes(id))
    .map((id) => ({
      field: `resume.${id}`,
      reason: 'no question is open under this call id',
      fix: `answer ${ids.join(', ')}`,
    }));
  const answers = new Map<string, Answer>();
  for (const question of questions) {
    const own = given[question.callId];
    const read =
      own === undefined
        ? [missing(question)]
        : await readAnswer(own, question, registry.tools.get(question.tool));
    if (Array.isArray(read)) problems.push(...read);
    else answers.set(question.callId, read);
  }
  const [first, ...others] = problems;
  return first === undefined ? { answers } : { problems: [first, ...others] };
}

/**
 * As {@link readAnswers}, for whoever can only throw.
 * @throws SetupError `answer_invalid`
 */
export async function answersTo(
  given: unknown,
  questions: readonly Question[],
  registry: Registry,
): Promise<ReadonlyMap<string, Answer>> {
  const read = await readAnswers(given, questions, registry);
  if ('problems' in read) throw new SetupError('answer_invalid', read.problems);
  return read.answers;
}

/** The problems of an answer as a question that is asked again tells them. */
export function problemText(problems: readonly SetupProblem[]): string {
  return problems.map(({ field, reason, fix }) => `${field}: ${reason}. Fix: ${fix}`).join('\n');
}

function missing({ callId, choices }: Question): SetupProblem {
  return {
    field: `resume.${callId}`,
    reason: 'it is not answered',
    fix: `give { decision: ${choices.map((choice) => `'${choice}'`).join(' | ')} }`,
  };
}

async function readAnswer(
  given: unknown,
  { callId, choices }: Question,
  entry: AnyToolEntry | undefined,
): Promise<Answer | SetupProblem[]> {
  const at = `resume.${callId}`;
  const fix = `give one of ${choices.join(', ')}`;
  if (!isRecord(given)) {
    return [
      {
        field: at,
        reason: `${describe(given)} is no answer`,
        fix: `give { decision } with ${choices.join(', ')}`,
      },
    ];
  }
  const problems: SetupProblem[] = [];
  const { decision, input, note, by } = given;
  const choice = choices.find((one) => one === decision);
  if (choice === undefined) {
    problems.push({ field: `${at}.decision`, reason: `${describe(decision)} is none`, fix });
  }
  for (const field of Object.keys(given)) {
    if (FIELDS.has(field)) continue;
    const known = [...FIELDS].join(', ');
    problems.push({
      field: `${at}.${field}`,
      reason: 'there is no such field',
      fix: `use ${known}`,
    });
  }
  for (const [field, value] of Object.entries({ note, by })) {
    if (value === undefined || (typeof value === 'string' && value !== '')) continue;
    problems.push({
      field: `${at}.${field}`,
      reason: `${describe(value)} is no text`,
      fix: 'give a text or leave it out',
    });
  }
  problems.push(...(await inputProblems(at, choice, input, entry)));
  if (choice === undefined || problems.length > 0) return problems;
  return {
    decision: choice,
    ...(input === undefined ? {} : { input }),
    ...(typeof note === 'string' ? { note } : {}),
    ...(typeof by === 'string' ? { by } : {}),
  };
}

async function inputProblems(
  at: string,
  choice: Choice | undefined,
  input: unknown,
  entry: AnyToolEntry | undefined,
): Promise<SetupProblem[]> {
  if (input === undefined || choice === undefined) return [];
  if (choice !== 'approve' || entry === undefined) {
    return [
      {
        field: `${at}.input`,
        reason: `it does not go with ${choice}`,
        fix: 'leave it out, or approve',
      },
    ];
  }
  const parsed = await parseArguments(entry.modelInput, input, entry.exactArguments);
  const wrong = parsed.ok ? unknownArguments(entry.modelInput, parsed.input) : parsed.problems;
  return wrong.map(({ path, message }) => ({
    field: [`${at}.input`, ...path.map(String)].join('.'),
    reason: message,
    fix: `give all arguments of ${entry.name} as its schema has them`,
  }));
}

function describe(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.slice(0, 80)}'`
    : Array.isArray(value)
      ? 'a list'
      : typeof value;
}
