import type { KnownRun, RecordedDecision } from '../sqlite/ledger-reader.js';
import { moment, plain, shortId } from './plain-text.js';
import { statusOf } from './run-form.js';
import { aligned, type Cell, type Terminal } from './terminal.js';

/** What is said of a run before its effects: the request, its end, its limits, and what people decided. */
export function runHeading(
  run: KnownRun,
  decisions: readonly RecordedDecision[],
  { bold, dim }: Terminal['colors'],
): readonly string[] {
  const facts: (readonly Cell[])[] = factsOf(run).map(([name, text]) => [[`  ${name}`, dim], text]);
  return [
    bold(`run ${plain(run.runId)}: ${plain(statusOf(run))}`),
    ...aligned(facts),
    ...(decisions.length === 0 ? [] : [dim('  decisions')]),
    ...aligned(decisions.map(decisionRow)).map((row) => `    ${row}`),
  ];
}

function factsOf({ record, activeAt }: KnownRun): readonly (readonly [string, string])[] {
  if (record === undefined) {
    return [
      ['last active', moment(activeAt)],
      ['request', 'not written down: its calls were guarded, its run was not'],
    ];
  }
  const { tenant, intentId, threadId, inputId, input, limits, mode, ended, consumedMs } = record;
  return [
    ...(threadId === undefined ? [] : [['thread', plain(threadId)] as const]),
    ['tenant', plain(tenant)],
    ['intent', plain(intentId)],
    ['input', `${plain(inputId)}${input === undefined ? '' : `, ${input.length} bytes kept`}`],
    ['accepted', moment(record.admittedAt)],
    ended === undefined
      ? ['last active', moment(activeAt)]
      : ['ended', `${moment(ended.at)}, ${plain(ended.status)}`],
    ['consumed', `${(consumedMs / 1000).toFixed(1)} s of active time`],
    ...(limits === undefined ? [] : [['limits', limitsText(limits)] as const]),
    ...(mode === undefined ? [] : [['mode', mode] as const]),
  ];
}

function limitsText(limits: Readonly<Record<string, number>>): string {
  const named = Object.entries(limits).map(([name, value]) => `${plain(name)} ${value}`);
  return named.length === 0 ? 'none' : named.join(', ');
}

function decisionRow(decision: RecordedDecision): readonly Cell[] {
  const { kind, by, at, tool, callId, expiresAt, editedTo, note, stands } = decision;
  const more = [
    ...(stands ? [] : ['overruled']),
    ...(editedTo === undefined ? [] : [`ran with arguments ${shortId(editedTo)}`]),
    ...(expiresAt === undefined ? [] : [`holds until ${moment(expiresAt)}`]),
    ...(note === undefined ? [] : [`"${plain(note)}"`]),
  ];
  return [
    moment(at),
    kind,
    `${plain(tool)}${callId === undefined ? '' : `, call ${plain(callId)}`}`,
    `by ${plain(by)}`,
    more.join(', '),
  ];
}
