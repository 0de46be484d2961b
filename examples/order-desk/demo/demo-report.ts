import { renderTimeline } from '@holdfast/call-guard';
import type { RunReport } from '../agent-answer.js';
import type { DemoFiles } from './demo-files.js';
import type { FaultOutcome } from './performance.js';
import { scenarios } from './scenario.js';
import { summaryTable } from './summary-table.js';
import { tallyTable } from './tally-table.js';
import type { Terminal } from './terminal.js';

/** One fault: the counts side by side, the timeline of the guarded run, its report. */
export function printFault(outcome: FaultOutcome, { line, colors }: Terminal): void {
  line();
  line(`${colors.bold(outcome.name)}  ${scenarios[outcome.name].summary}`);
  const section = (title: string, lines: readonly string[]) => {
    line();
    line(colors.bold(`  ${title}`));
    for (const text of lines) line(`    ${text}`);
  };
  section('What each service counted', tallyTable(outcome, colors));
  section('Timeline of the guarded run', renderTimeline(outcome.guarded.events).split('\n'));
  section('Report of the guarded run', reportLines(outcome.guarded.report));
}

function reportLines({ status, done, notDone, resume, time, text }: RunReport): string[] {
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
    ...(time === undefined ? [] : [`time      ${timeOf(time)}`]),
    `for user  ${text.forUser}`,
  ];
}

function timeOf({ consumedMs, leftMs }: NonNullable<RunReport['time']>): string {
  const used = `${Math.round(consumedMs)} ms used`;
  return leftMs === null ? used : `${used}, ${Math.round(leftMs)} ms left`;
}

/** What the counts add up to, what was not kept, and where the files are. */
export function printEnd(
  outcomes: readonly FaultOutcome[],
  broken: readonly string[],
  files: DemoFiles,
  { line, colors }: Terminal,
): void {
  line();
  for (const row of summaryTable(outcomes, colors)) line(row);
  line();
  for (const bound of broken) line(colors.red(`not kept  ${bound}`));
  if (broken.length > 0) line();
  line(`ledger  ${files.ledger}`);
  line(`events  ${files.events}`);
}
