import type { Effect, EffectKey } from '@holdfast/effect-ledger';
import type { Failure } from './failure.js';
import { forUserOfRun, forUserUnsettled, type Locale } from './failure-texts/user.js';
import type { CallEnd } from './run/call-ends.js';
import type { TimeExplained } from './run/time-budget.js';

export type RunStatus = 'complete' | 'partial' | 'failed' | 'interrupted';

/** From where a resumed run went on. Nothing listed as skipped is done twice. */
export interface ResumeMarker {
  readonly checkpointId?: string;
  readonly step?: number;
  /** Effects that were done before and are not repeated. */
  readonly skipped: readonly EffectKey[];
  /** Effects of which it is not known whether they took place. */
  readonly unknown: readonly EffectKey[];
  /** Effects that the conversation claims and this ledger does not know. */
  readonly unrecorded: readonly { readonly tool: string; readonly callId: string }[];
  /** The run cannot go on without its input, which was not kept. */
  readonly needs?: 'input';
}

/** What a run did and did not do, for code and, in `text`, for its user. */
export interface RunReport {
  readonly runId: string;
  readonly intentId: string;
  /** `partial`: something was done, and something that was asked for was not, or is not certain. */
  readonly status: RunStatus;
  readonly done: readonly DoneEffect[];
  readonly notDone: readonly (Failure | UnsettledEffect)[];
  /** May the same request be sent again without repeating an effect, and what would then run? */
  readonly recoverable: { readonly safeToRepeat: boolean; readonly wouldRun: readonly string[] };
  readonly resume?: ResumeMarker;
  /** How the time of the run stood at its end; `leftMs` is Infinity where nothing bounds it. */
  readonly time?: TimeExplained;
  readonly text: { readonly forUser: string };
}

/** What is done: a call as a whole, or a step of one that is not. */
export interface DoneEffect {
  readonly tool: string;
  readonly key: EffectKey;
  readonly step?: string;
}

/** An effect of the run that this process did not see fail: left open by another. */
export interface UnsettledEffect {
  readonly kind: 'unsettled';
  readonly tool: string;
  readonly step?: string;
  readonly effect: 'unknown';
  readonly idempotencyKey: EffectKey;
  readonly forUser: string;
}

/** What a report is made from. */
export interface ReportFacts {
  readonly runId: string;
  readonly intentId: string;
  readonly effects: readonly Effect[];
  /** How this invocation's calls ended, in order. */
  readonly ends: readonly CallEnd[];
  readonly interrupted: boolean;
  /** Whether the graph itself ended with an error. */
  readonly threw: boolean;
  readonly resume?: ResumeMarker;
  readonly time?: TimeExplained;
  /** The language of its texts. Default: `en`. */
  readonly locale?: Locale;
}

/** The report, pure. A run that failed after an effect, or left one uncertain, never counts as complete. */
export function buildReport(facts: ReportFacts): RunReport {
  const { locale = 'en' } = facts;
  const done = facts.effects
    .filter((effect) => effect.state === 'succeeded' && !isToldByParent(effect, facts))
    .map(({ tool, key, step }) => ({ tool, key, ...(step && { step: step.name }) }));
  const failures = openFailures(facts);
  const notDone = [...failures, ...unsettled(facts, failures, locale)];
  const status = statusOf(facts, done.length, notDone);
  const wouldRun = notDone.filter((item) => item.effect === 'none').map((item) => item.tool);
  return {
    runId: facts.runId,
    intentId: facts.intentId,
    status,
    done,
    notDone,
    recoverable: {
      safeToRepeat: status !== 'complete',
      wouldRun: [...new Set(wouldRun)],
    },
    ...(facts.resume === undefined ? {} : { resume: facts.resume }),
    ...(facts.time === undefined ? {} : { time: facts.time }),
    text: {
      forUser: forUserOfRun(
        status,
        done,
        notDone.map((item) => item.forUser),
        locale,
      ),
    },
  };
}

/** Failures that nothing after them made good: a later success of the tool does, unless an effect is uncertain. */
function openFailures({ ends, effects }: ReportFacts): readonly Failure[] {
  const open: Failure[] = [];
  ends.forEach((end, index) => {
    const { failure } = end;
    if (failure === undefined || failure.effect === 'done') return;
    const row = effects.find((effect) => effect.key === failure.idempotencyKey);
    if (row?.state === 'succeeded') return;
    const later = ends.slice(index + 1).filter(({ tool }) => tool === end.tool);
    // What never was a wish of its own (arguments, a read) is made good by the tool's next success. A wish
    // with a key is made good by its own row alone: another success may be another wish.
    const passing = failure.idempotencyKey === undefined && failure.effect === 'none';
    if (passing && later.some((other) => other.failure === undefined)) return;
    // The last word of the tool stands for those before it.
    const same = later.some((other) => isLaterWord(other.failure, failure));
    if (!same) open.push(failure);
  });
  return open;
}

/** Without a key two uncertain calls may be of different effects. */
function isLaterWord(later: Failure | undefined, failure: Failure): boolean {
  if (later === undefined || later.idempotencyKey !== failure.idempotencyKey) return false;
  return failure.idempotencyKey !== undefined || failure.effect === 'none';
}

function unsettled(
  facts: ReportFacts,
  failures: readonly Failure[],
  locale: Locale,
): readonly UnsettledEffect[] {
  return facts.effects
    .filter((effect) => isOpen(effect) && !isToldByParent(effect, facts))
    .filter(({ key }) => !failures.some((failure) => failure.idempotencyKey === key))
    .map(({ tool, key, step }) => ({
      kind: 'unsettled',
      tool,
      ...(step && { step: step.name }),
      effect: 'unknown',
      idempotencyKey: key,
      forUser: forUserUnsettled({ tool, ...(step && { step: step.name }) }, locale),
    }));
}

function isOpen({ state }: Effect): boolean {
  return state === 'attempting' || state === 'unknown';
}

/** A call that is done has its steps done; one that is uncertain covers those that are. */
function isToldByParent({ step, state }: Effect, { effects }: ReportFacts): boolean {
  const parent = step && effects.find(({ key }) => key === step.parent);
  if (parent === undefined) return false;
  return state === 'succeeded' ? parent.state === 'succeeded' : isOpen(parent);
}

function statusOf(facts: ReportFacts, done: number, notDone: RunReport['notDone']): RunStatus {
  if (facts.interrupted) return 'interrupted';
  if (!facts.threw && notDone.length === 0 && facts.resume?.needs === undefined) return 'complete';
  const uncertain = notDone.some(({ effect }) => effect === 'unknown');
  return done > 0 || uncertain ? 'partial' : 'failed';
}
