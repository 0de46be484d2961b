import type { FaultOutcome } from './performance.js';
import { effectsOf } from './watch-effects.js';

/** What the demo claims and this outcome does not keep, a sentence each. Empty: all is as claimed. */
export function brokenBounds(outcome: FaultOutcome): string[] {
  return [...provesNothing(outcome), ...doneTwice(outcome), ...untrueStatus(outcome)].map(
    (what) => `${outcome.name}: ${what}`,
  );
}

/** Without a repetition by the stock agent the fault shows nothing. */
function provesNothing({ stock }: FaultOutcome): string[] {
  const repeated = Object.values(effectsOf(stock.tallies)).some((count) => count > 1);
  return repeated ? [] : ['the stock agent repeated nothing, so the fault proves nothing'];
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
function untrueStatus({ stock, guarded }: FaultOutcome): string[] {
  const { status, notDone } = guarded.report;
  switch (status) {
    case 'complete': {
      const done = effectsOf(guarded.tallies);
      return Object.keys(effectsOf(stock.tallies))
        .filter((wish) => !(wish in done))
        .map((wish) => `the report says complete, and "${wish}" was not done`);
    }
    case 'partial':
      return notDone.length > 0 ? [] : ['the report says partial and names nothing that is open'];
    case 'failed':
    case 'interrupted':
      return [`the guarded run ended as ${status}`];
  }
}
