import type { RunReport } from '../agent-answer.js';
import type { FaultOutcome } from './performance.js';
import { faultNames, scenarios } from './scenario.js';
import { effectsOf, mostOf } from './watch-effects.js';

/** The demo as a whole has so many faults, and under so many of them the stock agent repeats an effect. */
const LEAST_FAULTS = 6;
const LEAST_REPEATED = 3;

/** What the demo claims of one fault and this outcome does not keep, a sentence each. Empty: all is as claimed. */
export function brokenBounds(outcome: FaultOutcome): string[] {
  return [
    ...provesNothing(outcome),
    ...doneTwice(outcome),
    ...untrueReport(outcome),
    ...otherThanShown(outcome),
  ].map((what) => `${outcome.name}: ${what}`);
}

/** What the demo claims as a whole; of a part of it nothing is claimed. */
export function brokenOverall(outcomes: readonly FaultOutcome[]): string[] {
  if (outcomes.length < faultNames.length) return [];
  const repeated = outcomes.filter(({ stock }) => mostOf(stock.tallies) > 1).length;
  return [
    ...(outcomes.length >= LEAST_FAULTS ? [] : [`only ${outcomes.length} faults were played`]),
    ...(repeated >= LEAST_REPEATED
      ? []
      : [`the stock agent repeated an effect under ${repeated} faults only`]),
  ];
}

/** What the guarded agent did and the stock agent did not. */
export function leftOut({ stock, guarded }: Pick<FaultOutcome, 'stock' | 'guarded'>): string[] {
  const done = effectsOf(stock.tallies);
  return Object.keys(effectsOf(guarded.tallies)).filter((wish) => !(wish in done));
}

/** Where the stock agent does well, the fault shows nothing. */
function provesNothing({ name, stock, guarded }: FaultOutcome): string[] {
  switch (scenarios[name].shows.stock) {
    case 'repeats':
      return mostOf(stock.tallies) > 1
        ? []
        : ['the stock agent repeated nothing, so the fault proves nothing'];
    case 'leaves-out':
      return leftOut({ stock, guarded }).length > 0
        ? []
        : ['the stock agent left out nothing, so the fault proves nothing'];
  }
}

function doneTwice({ guarded }: FaultOutcome): string[] {
  const repeated = Object.entries(effectsOf(guarded.tallies))
    .filter(([, count]) => count > 1)
    .map(([wish, count]) => `the guarded agent did "${wish}" ${count} times`);
  return guarded.resentUnknown === 0
    ? repeated
    : [...repeated, `an effect of unknown outcome was sent again ${guarded.resentUnknown} times`];
}

/** `complete` says that nothing is missing; `partial` is honest if it names what is. */
function untrueReport({ stock, guarded }: FaultOutcome): string[] {
  const { report } = guarded;
  const wishes = Object.keys(effectsOf(guarded.tallies));
  switch (report.status) {
    case 'complete':
      return [
        ...Object.keys(effectsOf(stock.tallies))
          .filter((wish) => !wishes.includes(wish))
          .map((wish) => `the report says complete, and "${wish}" was not done`),
        ...miscounted(report, wishes),
      ];
    case 'partial':
      return report.notDone.length > 0
        ? miscounted(report, wishes)
        : ['the report says partial and names nothing that is open'];
    case 'failed':
    case 'interrupted':
      return [`the guarded run ended as ${report.status}`];
  }
}

/** Of each tool took effect what the report calls done, and nothing more than what it calls uncertain. */
function miscounted({ done, notDone }: RunReport, wishes: readonly string[]): string[] {
  const tools = new Set([...done.map(({ tool }) => tool), ...wishes.map(toolOf)]);
  return [...tools].flatMap((tool) => {
    const took = wishes.filter((wish) => toolOf(wish) === tool).length;
    const said = done.filter((item) => item.tool === tool).length;
    const unsure = notDone.filter((item) => item.tool === tool && item.effect === 'unknown').length;
    return took >= said && took <= said + unsure
      ? []
      : [`the report says ${said} × ${tool} done, ${unsure} uncertain, and ${took} took effect`];
  });
}

/** Services name each wish by its tool first. */
function toolOf(wish: string): string {
  return wish.split(' ')[0] ?? wish;
}

/** The guarded run is to end as its fault says, without more requests than it says. */
function otherThanShown({ name, guarded }: FaultOutcome): string[] {
  const { shows } = scenarios[name];
  const { report, tallies } = guarded;
  const kinds = report.notDone.map(({ kind }) => kind);
  const { requests } = tallies.mail;
  return [
    ...(report.status === shows.guarded.status
      ? []
      : [`the guarded run is ${report.status}, not ${shows.guarded.status}`]),
    ...(shows.guarded.status === 'complete' || kinds.includes(shows.guarded.because)
      ? []
      : [`the report does not say ${shows.guarded.because}`]),
    ...(requests <= shows.mailRequests
      ? []
      : [
          `the guarded agent asked for a mail ${requests} times, at most ${shows.mailRequests} are claimed`,
        ]),
  ];
}
