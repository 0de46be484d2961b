/** What a model must know about a tool beyond its arguments: short sentences that are true of every call. */
import { durationText } from '../duration-text.js';
import { attemptTimeoutMs } from '../latency.js';
import type { AnyToolEntry, EntryKey } from '../tool-entry.js';

const list = (names: readonly string[]) => names.join(', ');
const withoutPeriod = (text: string) => text.trim().replace(/\.$/, '');

function sameArguments({ identity, volatile }: EntryKey): string {
  if (identity !== undefined) {
    return identity.length === 0 ? 'any arguments' : `the same ${list(identity)}`;
  }
  return volatile.length === 0
    ? 'the same arguments'
    : `the same arguments (${list(volatile)} aside)`;
}

const twoInOneMessage = {
  collapse: '',
  deliberate: ' Two equal calls in one message are done twice.',
  ask: ' Two equal calls in one message are asked about.',
} as const;

/** Whether calling twice is safe. */
export function againText({ idempotency, pollingMs }: AnyToolEntry): string {
  if (idempotency.class === 'read') {
    const every = pollingMs === undefined ? '' : `, at most every ${durationText(pollingMs)}`;
    return `It changes nothing and may be called again${every}.`;
  }
  if (idempotency.class === 'delegates') {
    return 'It runs other tools; what they have done is not done again.';
  }
  const { key, repeat } = idempotency;
  const ever = key.scope === 'business' ? ', in later requests too' : '';
  const unless =
    idempotency.class === 'idempotent-write' ? ', unless it was undone or changed since' : '';
  return `Calling it again with ${sameArguments(key)} does nothing more and gives the first result${ever}${unless}.${twoInOneMessage[repeat]}`;
}

const silentClasses: readonly string[] = ['read', 'delegates'];

/** True of every read. */
export const harmlessFailure = 'A failure changes nothing.';
const effects =
  '`effect: none` (nothing happened) or `effect: unknown` (it may have happened: do not repeat the call, and do not report it as done or as failed)';
/** True of every write. */
export const ambiguousFailure = `A failure says ${effects}.`;
/** True of every tool, said once for all of them. */
export const allFailures = `A failed read changes nothing. A failed write says ${effects}.`;

/** Whether a failure of the tool may leave open what happened. */
export const isAmbiguous = ({ idempotency }: AnyToolEntry) =>
  !silentClasses.includes(idempotency.class);

/** What is special about the failures of this tool; empty for most. */
export function failureNotes({ idempotency, failureWhen }: AnyToolEntry): readonly string[] {
  const notes: string[] = [];
  if (idempotency.class !== 'read' && idempotency.class !== 'delegates') {
    if (idempotency.effectOnError === 'none') {
      notes.push('An error that the tool itself reports means that nothing happened.');
    }
    if (idempotency.onUnknown === 'assume-done') notes.push('What stays unknown counts as done.');
  }
  if (failureWhen !== undefined) {
    notes.push('A refusal within its result is told as a failure.');
  }
  return notes;
}

const avoidance = {
  'place-last': ' It runs after the other calls of its message.',
  confirm: ' A person approves each call before it runs.',
  accept: '',
} as const;

/** Whether and until when the effect can be undone; nothing for a tool without an effect of its own. */
export function undoText({ compensation, idempotency }: AnyToolEntry): string | undefined {
  if (silentClasses.includes(idempotency.class)) return undefined;
  if (compensation === undefined) return 'No undo is declared.';
  if ('avoidBy' in compensation) {
    const { reason, avoidBy } = compensation;
    return `It cannot be undone: ${withoutPeriod(reason)}.${avoidance[avoidBy]}`;
  }
  const { strength, withinMs, tool } = compensation;
  const how = strength === 'strong' ? 'be undone' : 'be made good in part';
  return `It can ${how} for ${durationText(withinMs)}, by ${tool}.`;
}

/** How long a call takes, as far as the entry says it. */
export function durationOfCalls(entry: AnyToolEntry): string | undefined {
  const { latency } = entry;
  const limit = attemptTimeoutMs(entry);
  if (limit === undefined) return undefined;
  const givenUp = `given up after ${durationText(limit)}`;
  if (latency === undefined) return `It is ${givenUp}.`;
  return latency.kind === 'measured'
    ? `It takes about ${durationText(latency.p50)}, at times ${durationText(latency.p95)}; ${givenUp}.`
    : `It takes up to ${durationText(latency.ceilingMs)}${limit === latency.ceilingMs ? '' : `; ${givenUp}`}.`;
}
