import { withoutSecrets } from '@holdfast/tool-registry';
import type { Effect } from '../effect.js';
import type { LoggedMove } from '../ledger-tables.js';
import { sentArguments } from './argument-search.js';
import { outcomeOf, resultOf, titleOf } from './effect-form.js';
import { counted, moment, plain, shortId } from './plain-text.js';
import { aligned, type Cell, type Terminal } from './terminal.js';

/** An effect as lines: what became of it, where it came from, how it would be undone, and its log. */
export function effectStory(
  effect: Effect,
  moves: readonly LoggedMove[],
  { withArgs, colors }: { readonly withArgs: boolean; readonly colors: Terminal['colors'] },
): readonly string[] {
  const { bold, dim } = colors;
  const facts = [...factsOf(effect), ...(withArgs ? argumentFacts(effect) : [])];
  const rows = facts.map(([name, text]): readonly Cell[] => [[`    ${name}`, dim], text]);
  return [
    `  ${bold(plain(titleOf(effect)))}: ${painted(effect, colors)}`,
    ...aligned(rows),
    ...aligned(moves.map(moveRow)).map((row) => `    ${row}`),
  ];
}

function painted(effect: Effect, { green, yellow, red }: Terminal['colors']): string {
  const outcome = outcomeOf(effect);
  switch (effect.state) {
    case 'succeeded':
      return green(outcome);
    case 'failed':
      return red(outcome);
    case 'attempting':
    case 'suspended':
    case 'unknown':
      return yellow(outcome);
  }
}

type Fact = readonly [name: string, text: string];

function factsOf(effect: Effect): readonly Fact[] {
  const { key, step, generation, ordinal, attempts } = effect;
  const tries = attempts.reduce((sum, attempt) => sum + (attempt.tries ?? 0), 0);
  const carried = attempts.some(({ keyCarried }) => keyCarried === true);
  return [
    ['key', key],
    ...(step === undefined ? [] : [['inside', `effect ${shortId(step.parent)}`] as const]),
    ['class', `${effect.class}, version ${plain(effect.toolVersion)} of the tool`],
    ['place', placeText(effect)],
    ['identity', `${shortId(effect.argsDigest)}, digest of its identity arguments`],
    ...(generation === 0
      ? []
      : [['generation', `${generation}: an equal wish came before`] as const]),
    ...(ordinal === 0 ? [] : [['repeat', `${ordinal + 1} of equal calls in one message`] as const]),
    [
      'attempts',
      [
        String(attempts.length),
        ...(tries > 0 ? [`${counted(tries, 'call')} of the tool`] : []),
        ...(carried ? ['key sent along'] : []),
      ].join(', '),
    ],
    ...(effect.state === 'succeeded'
      ? ([
          ['result', resultOf(effect.result)],
          ['undo', undoText(effect)],
        ] as const)
      : []),
  ];
}

function placeText({ place }: Effect): string {
  const { threadId, messageId, position, callId, checkpointId } = place;
  const parts = [
    ...(callId === undefined ? [] : [`call ${plain(callId)}`]),
    ...(messageId === undefined ? [] : [`message ${plain(messageId)}`]),
    ...(position === undefined ? [] : [`position ${position}`]),
    ...(threadId === undefined ? [] : [`thread ${plain(threadId)}`]),
    ...(checkpointId === undefined ? [] : [`checkpoint ${plain(checkpointId)}`]),
  ];
  return parts.length === 0 ? 'no graph' : parts.join(', ');
}

function undoText({ undo }: Extract<Effect, { state: 'succeeded' }>): string {
  switch (undo.undo) {
    case 'none':
      return 'none';
    case 'invalid':
      return `not possible: ${plain(undo.reason)}`;
    case 'ready':
      return `by ${plain(undo.tool)} (${undo.strength}), until ${moment(undo.validUntil)}`;
  }
}

function argumentFacts(effect: Effect): readonly Fact[] {
  const sent = argumentText(effect.frozenArgs);
  const facts: Fact[] = [['arguments', sent ?? 'deleted when the effect succeeded']];
  if (effect.state === 'succeeded' && effect.undo.undo === 'ready') {
    facts.push(['undo with', argumentText(effect.undo.args) ?? 'nothing']);
  }
  return facts;
}

function argumentText(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  const sent = sentArguments(bytes);
  return sent === undefined
    ? `${bytes.length} bytes that are not JSON`
    : plain(JSON.stringify(withoutSecrets(sent)));
}

/** What each kind of evidence in the log means. */
const meaning: ReadonlyMap<string, string> = new Map([
  ['declared', 'declared before it is sent'],
  ['retry', 'tried again: the failure proved that nothing was done'],
  ['resumed', 'resumed after a pause'],
  ['resend', 'sent again with the same key'],
  ['probe-absent', 'sent again: a probe proved that nothing was done'],
  ['attempt', 'as the attempt saw it'],
  ['late-answer', 'an answer that came late'],
  ['probe', 'a probe asked the other side'],
  ['lease-expiry', 'its process did not renew its lease'],
  ['owner-gone', 'its process is gone'],
  ['undo', 'by its undo'],
  ['person', 'a person said so'],
]);

function moveRow({ from, to, evidence, note, at }: LoggedMove): readonly Cell[] {
  const why = meaning.get(evidence) ?? plain(evidence);
  return [moment(at), stateText(from, to), note === undefined ? why : `${why}: ${plain(note)}`];
}

/** The log writes a success with its settlement. */
function stateText(from: string | undefined, to: string): string {
  switch (to) {
    case 'succeeded, open':
      return from?.startsWith('succeeded') === true ? 'not undone' : 'succeeded';
    case 'succeeded, compensating':
      return 'being undone';
    case 'succeeded, compensated':
      return 'undone';
    case 'succeeded, manual':
      return 'left to a person';
    default:
      return plain(to);
  }
}
