import type { Run } from '@holdfast/call-guard';
import { type EffectKey, isLedgerError } from '@holdfast/effect-ledger';
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import type { AdapterParts } from './adapter-parts.js';
import { answersFromLedger } from './answers-from-ledger.js';
import { withNoteOfAsked } from './asked-arguments.js';
import { withFlaws } from './call-flaws.js';
import { withOwnCallIds } from './call-ids.js';
import { withPlaces } from './call-mark.js';
import { concluded } from './conclusion.js';
import { messagesOf } from './graph-messages.js';
import { type Repair, readHistory, validHistory } from './history.js';
import { currentConfig } from './pregel-config.js';
import { isAIMessage, isAnsweredCall } from './turn.js';
import type { Asking } from './wrapped-model.js';

/** What somebody shows the model, and what the conversation itself holds. */
interface Showing {
  readonly shown: readonly BaseMessage[];
  /** What the user said: the run is found by it. */
  readonly said: readonly BaseMessage[];
  /** Whether calls of this name are meant; others may be structured output. */
  readonly isOurs: (name: string) => boolean;
}

/**
 * Before the model is asked: the run is written down, the history put right, and said what is done. Costs
 * no superstep; what is put right is what the model sees, the state of the graph stays as it is.
 */
export async function beginModelTurn(
  { shown, said, isOurs }: Showing,
  parts: AdapterParts,
): Promise<Asking> {
  const { clock, newId } = parts.guard;
  const run = await admittedRun(said, parts);
  const startedAt = clock.monotonicMs();
  const ended = (): void => run.budget.noteModelTurn(clock.monotonicMs() - startedAt);
  if (run.modes.guard !== 'enforce') {
    return { messages: shown, received: (answer) => answer, ended };
  }
  const history = readHistory(shown);
  const answers = await answersFromLedger(history.unanswered, run, parts);
  const { messages, repairs } = validHistory(
    history,
    answers.map(({ message }) => message),
  );
  tellRepairs(repairs, run, parts);
  const told = new Set(answers.flatMap(({ key }) => (key === undefined ? [] : [key])));
  const note = whatIsDone(run, said, told);
  return {
    messages: note === undefined ? messages : [...messages, note],
    ended,
    received(answer, isPiece = false) {
      if (!AIMessage.isInstance(answer)) return answer;
      const makeId = (): string => `call_${newId()}`;
      const last = concluded(answer, run, isOurs, parts);
      const message = withOwnCallIds(withFlaws(last, isOurs), callIdsIn(said, shown), makeId);
      const isSeen = messagesOf(currentConfig()) !== undefined;
      const placed = isSeen ? message : withPlaces(message, message.id ?? newId());
      return (isPiece ? placed : withNoteOfAsked(placed, run, parts)) as typeof answer;
    },
  };
}

/**
 * The run of this invocation, written down before the model is asked. Where the ledger is away the model
 * may still be asked and reads still work: effects are refused until it is back.
 */
async function admittedRun(said: readonly BaseMessage[], parts: AdapterParts): Promise<Run> {
  const config = currentConfig();
  const around = parts.currentRun();
  const run = around ?? (await parts.runs.ofCall(config, said));
  // A model that is asked outside of any run has nothing that could be continued.
  const isNowhere = around === undefined && config === undefined;
  if (isNowhere || run.modes.guard === 'off') return run;
  parts.stamps.follow(run);
  try {
    await run.admit();
    await run.view.load();
  } catch (error) {
    if (!isLedgerError(error)) throw error;
    parts.guard.emit('warning', run.subject, {
      code: 'not_admitted',
      message: `the run could not be written down: ${error.message}`,
    });
  }
  return run;
}

/** What each run was told of already: the state stays as it is, so each turn finds it again. */
const toldOf = new WeakMap<Run, Set<string>>();

function tellRepairs(repairs: readonly Repair[], run: Run, { guard }: AdapterParts): void {
  const told = toldOf.get(run) ?? new Set();
  toldOf.set(run, told);
  for (const { what, why, callId, tool } of repairs) {
    const repair = JSON.stringify([what, why, callId, tool]);
    if (told.has(repair)) continue;
    told.add(repair);
    const subject = { ...run.subject, callId, ...(tool === undefined ? {} : { tool }) };
    guard.emit('history_repaired', subject, { what, why });
  }
}

/**
 * What the model must know before it plans, where the conversation lost it: effects of this run that are
 * done, or may be, and that no message answers.
 */
function whatIsDone(
  run: Run,
  messages: readonly BaseMessage[],
  told: ReadonlySet<EffectKey>,
): HumanMessage | undefined {
  const lost = run.view
    .all()
    .filter(({ effect, inherited }) => inherited && effect.runId === run.runId)
    .map(({ effect }) => effect)
    .filter(({ key, place }) => {
      return !told.has(key) && !run.consumed.has(key) && !isAnsweredCall(messages, place);
    });
  const done = lost.filter(({ state }) => state === 'succeeded').map(({ tool }) => tool);
  const open = lost
    .filter(({ state }) => state === 'unknown' || state === 'attempting')
    .map(({ tool }) => tool);
  if (done.length === 0 && open.length === 0) return undefined;
  const lines = [
    'Note of the system: this request was interrupted and goes on.',
    ...(done.length === 0
      ? []
      : [`Already done for it: ${done.join(', ')}. An equal call is answered with its result.`]),
    ...(open.length === 0 ? [] : [`Outcome unknown: ${open.join(', ')}. Do not repeat.`]),
  ];
  return new HumanMessage({ content: lines.join('\n') });
}

function callIdsIn(...histories: readonly (readonly BaseMessage[])[]): ReadonlySet<string> {
  return new Set(
    histories
      .flat()
      .filter(isAIMessage)
      .flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id ?? '')),
  );
}
