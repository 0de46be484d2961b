import type { Effect } from '../effect.js';
import type { KnownRun, LedgerReader, RecordedDecision } from '../sqlite/ledger-reader.js';
import { CommandError } from './command-error.js';
import type { ShowCommand } from './command-line.js';
import { effectJson } from './effect-form.js';
import { effectStory } from './effect-story.js';
import { resolveId } from './resolve-id.js';
import { runJson } from './run-form.js';
import { runHeading } from './run-story.js';
import type { Terminal } from './terminal.js';

/** A run with all that the ledger holds of it. */
interface WholeRun {
  readonly run: KnownRun;
  readonly effects: readonly Effect[];
  readonly decisions: readonly RecordedDecision[];
}

/** `effect-ledger show`: a run, an effect or a thread as a story. */
export function show(reader: LedgerReader, asked: ShowCommand, terminal: Terminal): void {
  const { location: file, id } = reader;
  const ledger = { file, id };
  const found = resolveId(reader, asked.what);
  if (found?.is === 'effect') {
    const effects = reader.effects({ key: found.key });
    if (asked.json) {
      terminal.json({ ledger, effect: effects.map((effect) => formOf(reader, effect, asked))[0] });
      return;
    }
    for (const effect of effects) printStory(reader, effect, asked, terminal);
    return;
  }
  if (found === undefined) {
    throw new CommandError(
      `no run, effect or thread is named ${asked.what}`,
      `see which there are: effect-ledger list ${file}`,
    );
  }
  const filter = found.is === 'run' ? { runId: found.runId } : { threadId: found.threadId };
  const runs = reader
    .runs(filter, Number.MAX_SAFE_INTEGER)
    .toReversed()
    .map((run) => wholeRun(reader, run));
  if (asked.json) {
    const whole = runs.map(({ run, effects, decisions }) => ({
      ...runJson(run),
      decisions,
      effects: effects.map((effect) => formOf(reader, effect, asked)),
    }));
    terminal.json({ ledger, runs: whole });
    return;
  }
  for (const [i, { run, effects, decisions }] of runs.entries()) {
    if (i > 0) terminal.line();
    for (const line of runHeading(run, decisions, terminal.colors)) terminal.line(line);
    for (const effect of effects) {
      terminal.line();
      printStory(reader, effect, asked, terminal);
    }
    if (effects.length === 0) terminal.line('  no effects');
  }
}

function wholeRun(reader: LedgerReader, run: KnownRun): WholeRun {
  const effects = reader.effects({ runId: run.runId });
  const tenant = run.record?.tenant ?? effects[0]?.tenant;
  const decisions = tenant === undefined ? [] : reader.decisions(tenant, run.runId);
  return { run, effects, decisions };
}

function formOf(reader: LedgerReader, effect: Effect, { args }: ShowCommand) {
  return effectJson(effect, { moves: reader.moves(effect.key), withArgs: args });
}

function printStory(
  reader: LedgerReader,
  effect: Effect,
  { args }: ShowCommand,
  { line, colors }: Terminal,
): void {
  const moves = reader.moves(effect.key);
  for (const text of effectStory(effect, moves, { withArgs: args, colors })) line(text);
}
