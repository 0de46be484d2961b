import { renderTimeline } from '@holdfast/call-guard';
import type { RunReport } from '../agent-answer.js';
import type { DemoFiles } from './demo-files.js';
import type { FaultOutcome } from './performance.js';
import { mostOf, tallyTable } from './tally-table.js';
import type { Terminal } from './terminal.js';

/** One fault: the counts side by side, the timeline of the guarded run, its report. */
export function printFault(outcome: FaultOutcome, { line, colors }: Terminal): void {
  const section = (title: string, lines: readonly string[]) => {
    line();
    line(colors.bold(`  ${title}`));
    for (const text of lines) line(`    ${text}`);
  };
  section('What each service counted', tallyTable(outcome, colors));
  section('Timeline of the guarded run', renderTimeline(outcome.guarded.events).split('\n'));
  section('Report of the guarded run', reportLines(outcome.guarded.report));
}

function reportLines({ status, done, notDone, resume, text }: RunReport): string[] {
  const named = (items: readonly string[]) => (items.length === 0 ? 'nothing' : items.join(', '));
  return [
    `status    ${status}`,
    `done      ${named(done.map(({ tool, key }) => `${tool} [${key.slice(0, 8)}]`))}`,
    `not done  ${named(notDone.map(({ tool, kind, effect }) => `${tool} (${kind}, effect: ${effect})`))}`,
    ...(resume === undefined
      ? []
      : [
          `resumed   effects done before and not repeated: ${resume.skipped.length}; still unknown: ${resume.unknown.length}`,
        ]),
    `for user  ${text.forUser}`,
  ];
}

/** What the counts add up to, what was not kept, and where the files are. */
export function printEnd(
  outcomes: readonly FaultOutcome[],
  broken: readonly string[],
  files: DemoFiles,
  { line, colors }: Terminal,
): void {
  line();
  for (const { name, stock, guarded } of outcomes) {
    line(
      `${colors.bold(name.padEnd(13))}  the same effect took place: stock ${times(mostOf(stock))}, guarded ${times(mostOf(guarded))}; unknown outcomes sent again by the guarded agent: ${guarded.resentUnknown}`,
    );
  }
  for (const bound of broken) line(colors.red(`not kept  ${bound}`));
  line();
  line(`ledger  ${files.ledger}`);
  line(`events  ${files.events}`);
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
