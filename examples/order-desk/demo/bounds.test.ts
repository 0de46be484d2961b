import { describe, expect, it } from 'vitest';
import type { RunReport } from '../agent-answer.js';
import type { Tally } from '../services/tally.js';
import { brokenBounds } from './bounds.js';
import type { FaultOutcome } from './performance.js';

const moved = { 'set_delivery ord_1': 1 };

function outcome(
  stock: Tally['effects'],
  guarded: Tally['effects'],
  { report = {}, resentUnknown = 0 }: { report?: Partial<RunReport>; resentUnknown?: number } = {},
): FaultOutcome {
  const tallies = (mail: Tally['effects']) => ({
    orders: { effects: moved, replays: 0 },
    mail: { effects: mail, replays: 0 },
    model: { requests: 4 },
  });
  const answer = { text: '' };
  return {
    name: 'kill',
    stock: { answer, tallies: tallies(stock) },
    guarded: {
      answer,
      tallies: tallies(guarded),
      report: {
        runId: 'run_1',
        status: 'complete',
        done: [],
        notDone: [],
        text: { forUser: '' },
        ...report,
      },
      events: [],
      resentUnknown,
    },
  };
}

const open = { tool: 'send_mail', kind: 'outcome_unknown', effect: 'unknown' };

describe('the bounds of the demo', () => {
  it('are kept when only the stock agent repeats', () => {
    expect(brokenBounds(outcome({ mail: 2 }, { mail: 1 }))).toEqual([]);
  });

  it('are kept by a partial run that names what is open', () => {
    const report = { status: 'partial' as const, notDone: [open] };
    expect(brokenBounds(outcome({ mail: 2 }, { mail: 1 }, { report }))).toEqual([]);
    expect(brokenBounds(outcome({ mail: 2 }, {}, { report }))).toEqual([]);
  });

  it.each<[string, FaultOutcome]>([
    ['the stock agent repeated nothing', outcome({ mail: 1 }, { mail: 1 })],
    ['the guarded agent did "mail" 2 times', outcome({ mail: 2 }, { mail: 2 })],
    ['sent again 1 times', outcome({ mail: 2 }, { mail: 1 }, { resentUnknown: 1 })],
    ['says complete, and "mail" was not done', outcome({ mail: 2 }, {})],
    [
      'names nothing that is open',
      outcome({ mail: 2 }, { mail: 1 }, { report: { status: 'partial' } }),
    ],
    ['ended as failed', outcome({ mail: 2 }, {}, { report: { status: 'failed' } })],
  ])('are broken: %s', (what, broken) => {
    expect(brokenBounds(broken)).toEqual([expect.stringContaining(what)]);
  });
});
