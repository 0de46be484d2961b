import { describe, expect, it } from 'vitest';
import type { RunReport } from '../agent-answer.js';
import type { Tally } from '../services/tally.js';
import { brokenBounds, brokenOverall } from './bounds.js';
import type { FaultOutcome } from './performance.js';
import { type FaultName, faultNames } from './scenario.js';

const moved = { 'set_delivery ord_1': 1 };
const mail = (count: number) => ({ 'send_mail buyer': count });
const sent = (tool: string) => ({ tool, key: tool });

interface Guarded {
  report?: Partial<RunReport>;
  resentUnknown?: number;
  requests?: number;
}

/** An outcome that keeps every bound, but for what is given. */
function outcome(
  name: FaultName,
  stock: Tally['effects'],
  guarded: Tally['effects'],
  { report = {}, resentUnknown = 0, requests = 0 }: Guarded = {},
): FaultOutcome {
  const tallies = (effects: Tally['effects']) => ({
    orders: { effects: moved, replays: 0, requests: 1 },
    mail: { effects, replays: 0, requests },
    model: { requests: 4 },
  });
  const answer = { text: '' };
  return {
    name,
    stock: { answer, tallies: tallies(stock) },
    guarded: {
      answer,
      tallies: tallies(guarded),
      report: {
        runId: 'run_1',
        status: 'complete',
        done: ['set_delivery', ...('send_mail buyer' in guarded ? ['send_mail'] : [])].map(sent),
        notDone: [],
        text: { forUser: '' },
        ...report,
      },
      events: [],
      resentUnknown,
    },
  };
}

function partial(kind: string, effect: string): { report: Partial<RunReport> } {
  return {
    report: {
      status: 'partial',
      done: [sent('set_delivery')],
      notDone: [{ tool: 'send_mail', kind, effect }],
    },
  };
}

const tooLate = partial('deadline_exceeded', 'none');
const unsure = partial('circuit_open', 'unknown');

describe('the bounds of the demo', () => {
  it.each<[string, FaultOutcome]>([
    ['only the stock agent repeats', outcome('kill', mail(2), mail(1), { requests: 1 })],
    ['the stock agent leaves something out', outcome('rate-limit', {}, mail(1), { requests: 2 })],
    ['a partial run names what it did not begin', outcome('short-deadline', mail(2), {}, tooLate)],
    ['what took effect is called uncertain', outcome('broken-mail', mail(2), mail(1), unsure)],
    ['what did not is, too', outcome('broken-mail', mail(2), {}, unsure)],
  ])('are kept when %s', (_, kept) => {
    expect(brokenBounds(kept)).toEqual([]);
  });

  it.each<[string, FaultOutcome]>([
    ['the stock agent repeated nothing', outcome('kill', mail(1), mail(1))],
    ['the stock agent left out nothing', outcome('rate-limit', mail(1), mail(1))],
    ['the guarded agent did "send_mail buyer" 2 times', outcome('kill', mail(2), mail(2))],
    ['sent again 1 times', outcome('kill', mail(2), mail(1), { resentUnknown: 1 })],
    ['complete, and "send_mail buyer" was not done', outcome('kill', mail(2), {})],
    [
      '1 × send_mail done, 0 uncertain, and 0 took effect',
      outcome('kill', mail(2), {}, { report: { done: [sent('send_mail')] } }),
    ],
    [
      '0 × send_mail done, 0 uncertain, and 1 took effect',
      outcome('short-deadline', mail(2), mail(1), tooLate),
    ],
    [
      'asked for a mail 4 times, at most 3',
      outcome('broken-mail', mail(2), {}, { ...unsure, requests: 4 }),
    ],
    ['does not say deadline_exceeded', outcome('short-deadline', mail(2), {}, unsure)],
    [
      'names nothing that is open',
      outcome('short-deadline', mail(2), {}, { report: { status: 'partial' } }),
    ],
    ['is partial, not complete', outcome('kill', mail(2), mail(1), unsure)],
    ['ended as failed', outcome('kill', mail(2), mail(1), { report: { status: 'failed' } })],
  ])('are broken: %s', (what, broken) => {
    expect(brokenBounds(broken)).toContainEqual(expect.stringContaining(what));
  });

  it('of the whole are at least six faults, and the stock agent repeats under at least three', () => {
    const repeating = (count: number) =>
      faultNames.map((name, index) => outcome(name, mail(index < count ? 2 : 1), mail(1)));
    expect(faultNames.length).toBeGreaterThanOrEqual(6);
    expect(brokenOverall(repeating(3))).toEqual([]);
    expect(brokenOverall(repeating(2))).toEqual([
      'the stock agent repeated an effect under 2 faults only',
    ]);
    expect(brokenOverall(repeating(0).slice(1))).toEqual([]);
  });
});
