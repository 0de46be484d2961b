import type { RunReport } from '../agent-answer.js';
import type { Tally } from '../services/tally.js';
import type { DemoFiles } from './demo-files.js';
import type { FaultOutcome } from './performance.js';
import { type FaultName, scenarios } from './scenario.js';
import { effectsOf } from './watch-effects.js';

/** What `--json` prints. */
export interface JsonDocument {
  faults: {
    name: FaultName;
    shows: string;
    plain: { effects: Tally['effects']; mailRequests: number };
    guarded: {
      effects: Tally['effects'];
      mailRequests: number;
      status: RunReport['status'];
      notDone: RunReport['notDone'];
      resentUnknown: number;
    };
  }[];
  /** Paths of files that remain. */
  ledger: string;
  events: string;
}

export function jsonDocument(outcomes: readonly FaultOutcome[], files: DemoFiles): JsonDocument {
  return {
    faults: outcomes.map(({ name, stock, guarded }) => ({
      name,
      shows: scenarios[name].shows.lesson,
      plain: { effects: effectsOf(stock.tallies), mailRequests: stock.tallies.mail.requests },
      guarded: {
        effects: effectsOf(guarded.tallies),
        mailRequests: guarded.tallies.mail.requests,
        status: guarded.report.status,
        notDone: guarded.report.notDone,
        resentUnknown: guarded.resentUnknown,
      },
    })),
    ledger: files.ledger,
    events: files.events,
  };
}
