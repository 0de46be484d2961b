import type { KnownRun, LedgerReader, RunFilter } from '../sqlite/ledger-reader.js';
import type { ListCommand } from './command-line.js';
import { counted, moment, plain, shortId } from './plain-text.js';
import { resolveRun } from './resolve-id.js';
import { runJson, statusOf } from './run-form.js';
import { aligned, type Cell, type Terminal } from './terminal.js';

/** `effect-ledger list`: runs, last active first. */
export function list(reader: LedgerReader, asked: ListCommand, terminal: Terminal): void {
  const filter: RunFilter = {
    ...(asked.run !== undefined && { runId: resolveRun(reader, asked.run) }),
    ...(asked.thread !== undefined && { threadId: asked.thread }),
    ...(asked.state !== undefined && { state: asked.state }),
  };
  const runs = reader.runs(filter, asked.limit);
  const total = reader.countRuns(filter);
  if (asked.json) {
    const { location: file, id } = reader;
    terminal.json({ ledger: { file, id }, total, runs: runs.map(runJson) });
    return;
  }
  if (total === 0) {
    const isAny = Object.keys(filter).length > 0;
    terminal.line(isAny ? 'No run is like that.' : 'No run is in this ledger yet.');
    return;
  }
  const { bold } = terminal.colors;
  const head = ['RUN', 'THREAD', 'STATUS', 'EFFECTS', 'LAST ACTIVE (UTC)'];
  const rows = runs.map((run) => rowOf(run, terminal.colors));
  for (const line of aligned([head.map((title): Cell => [title, bold]), ...rows])) {
    terminal.line(line);
  }
  if (total > runs.length) {
    terminal.line(`… ${counted(total - runs.length, 'run')} more: --limit ${total} shows all.`);
  }
}

function rowOf(run: KnownRun, { green, yellow, dim }: Terminal['colors']): readonly Cell[] {
  const { unknown = 0, attempting = 0 } = run.effects;
  const effects = Object.entries(run.effects).map(([state, count]) => `${count} ${state}`);
  const paint = unknown + attempting > 0 ? yellow : green;
  const status = statusOf(run);
  return [
    shortId(run.runId),
    plain(run.threadId ?? '-'),
    status === 'complete' ? [status, green] : plain(status),
    effects.length === 0 ? ['none', dim] : [effects.join(', '), paint],
    moment(run.activeAt).slice(0, -5),
  ];
}
