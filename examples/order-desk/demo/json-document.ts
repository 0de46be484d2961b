import type { RunReport } from '../agent-answer.js';
import type { Tally } from '../services/tally.js';
import type { DemoFiles } from './demo-files.js';
import type { FaultOutcome } from './performance.js';
import type { FaultName } from './scenario.js';
import { effectsOf } from './watch-effects.js';

/** What `--json` prints. */
export interface JsonDocument {
  faults: {
    name: FaultName;
    plain: { effects: Tally['effects'] };
    guarded: {
      effects: Tally['effects'];
      status: RunReport['status'];
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
      plain: { effects: effectsOf(stock.tallies) },
      guarded: {
        effects: effectsOf(guarded.tallies),
        status: guarded.report.status,
        resentUnknown: guarded.resentUnknown,
      },
    })),
    ledger: files.ledger,
    events: files.events,
  };
}
