import type { Effect, EffectKey } from '../effect.js';
import type { LoggedMove } from '../ledger-tables.js';
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
    const moves = movesOf(reader, effects);
    if (asked.json) {
      terminal.json({ ledger, effect: effects.map((effect) => formOf(effect, moves, asked))[0] });
      return;
    }
    for (const effect of effects) printStory(effect, moves, asked, terminal);
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
  const moves = movesOf(
    reader,
    runs.flatMap(({ effects }) => effects),
  );
  if (asked.json) {
    const whole = runs.map(({ run, effects, decisions }) => ({
      ...runJson(run),
      decisions,
      effects: effects.map((effect) => formOf(effect, moves, asked)),
    }));
    terminal.json({ ledger, runs: whole });
    return;
  }
  for (const [i, { run, effects, decisions }] of runs.entries()) {
    if (i > 0) terminal.line();
    for (const line of runHeading(run, decisions, terminal.colors)) terminal.line(line);
    for (const effect of effects) {
      terminal.line();
      printStory(effect, moves, asked, terminal);
    }
    if (effects.length === 0) terminal.line('  no effects');
  }
}

type MovesByKey = ReadonlyMap<EffectKey, readonly LoggedMove[]>;

function wholeRun(reader: LedgerReader, run: KnownRun): WholeRun {
  const effects = reader.effects({ runId: run.runId });
  const tenant = run.record?.tenant ?? effects[0]?.tenant;
  const decisions = tenant === undefined ? [] : reader.decisions(tenant, run.runId);
  return { run, effects, decisions };
}

function movesOf(reader: LedgerReader, effects: readonly Effect[]): MovesByKey {
  const byKey = new Map<EffectKey, LoggedMove[]>(effects.map(({ key }) => [key, []]));
  for (const move of reader.moves([...byKey.keys()])) byKey.get(move.key)?.push(move);
  return byKey;
}

function formOf(effect: Effect, moves: MovesByKey, { args }: ShowCommand) {
  return effectJson(effect, { moves: moves.get(effect.key) ?? [], withArgs: args });
}

function printStory(
  effect: Effect,
  moves: MovesByKey,
  { args }: ShowCommand,
  { line, colors }: Terminal,
): void {
  const ofEffect = moves.get(effect.key) ?? [];
  for (const text of effectStory(effect, ofEffect, { withArgs: args, colors })) line(text);
}
