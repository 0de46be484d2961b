import type { Effect } from '../effect.js';
import type { LedgerReader } from '../sqlite/ledger-reader.js';
import { hold, possibleWishes, sentArguments } from './argument-search.js';
import type { FindCommand } from './command-line.js';
import { effectJson, outcomeOf, timesOf, titleOf } from './effect-form.js';
import { counted, moment, plain, shortId } from './plain-text.js';
import { tallyWishes, type Verdict, type WishTally, whyAgain, wishId } from './repeats.js';
import { resolveKey } from './resolve-id.js';
import { aligned, type Cell, type Terminal } from './terminal.js';

/** The worst first. */
const order: readonly Verdict[] = [
  'more-than-once',
  'perhaps-more-than-once',
  'perhaps-once',
  'once',
  'not-done',
];

/**
 * `effect-ledger find`: was this done twice? Finds effects, and with each of them all others of its wish.
 *
 * @returns whether something was certainly done more than once
 */
export function find(reader: LedgerReader, asked: FindCommand, terminal: Terminal): boolean {
  const { effects, unsearched } = search(reader, asked);
  const tallies = tallyWishes(effects).toSorted(
    (a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict),
  );
  const repeated = tallies.filter(({ verdict }) => verdict === 'more-than-once').length;
  const doubtful = tallies.filter(({ verdict }) => verdict === 'perhaps-more-than-once').length;
  const shown = tallies.slice(0, asked.limit);
  if (asked.json) {
    const { location: file, id } = reader;
    terminal.json({
      ledger: { file, id },
      wishes: tallies.length,
      doneMoreThanOnce: repeated,
      perhapsMoreThanOnce: doubtful,
      unsearchedEffects: unsearched,
      found: shown.map((tally) => ({
        ...tally,
        effects: tally.effects.map((effect) => effectJson(effect)),
      })),
    });
    return repeated > 0;
  }
  for (const tally of shown) printTally(tally, terminal);
  if (tallies.length > shown.length) {
    const more = counted(tallies.length - shown.length, 'wish');
    terminal.line(`… ${more} more: --limit ${tallies.length} shows all.`);
    terminal.line();
  }
  if (unsearched > 0) {
    terminal.line(
      `${counted(unsearched, 'effect')} could not be searched for arguments, which are`,
    );
    terminal.line(
      'deleted once an effect has succeeded. With --tool, and an --arg for each argument',
    );
    terminal.line('that identifies the wish and no other, they are found by their digest.');
    terminal.line();
  }
  printVerdict(tallies.length, repeated, doubtful, terminal);
  return repeated > 0;
}

/** The effects asked for, those of the same wishes, and how many could not be looked into. */
function search(
  reader: LedgerReader,
  { key, call, thread, tool, args }: FindCommand,
): { readonly effects: readonly Effect[]; readonly unsearched: number } {
  const candidates = reader.findEffects({
    ...(key !== undefined && { key: resolveKey(reader, key) }),
    ...(call !== undefined && { callId: call }),
    ...(thread !== undefined && { threadId: thread }),
    ...(tool !== undefined && { tool }),
  });
  const digests = new Set(tool === undefined ? [] : possibleWishes(tool, args));
  const matching = candidates.filter(
    ({ wish, frozenArgs }) =>
      args.length === 0 || digests.has(wish) || hold(sentArguments(frozenArgs), args),
  );
  const wishes = [...new Set(matching.map(({ wish }) => wish))];
  const ids = new Set(matching.map(wishId));
  const effects = reader.findEffects({ wishes }).filter((effect) => ids.has(wishId(effect)));
  const found = new Set(effects.map((effect) => effect.key));
  const hidden = candidates.filter(
    (effect) => effect.frozenArgs === undefined && !found.has(effect.key),
  );
  return { effects, unsearched: hidden.length };
}

function printTally(tally: WishTally, terminal: Terminal): void {
  const { line, colors } = terminal;
  const [first] = tally.effects;
  line(`${colors.bold(plain(titleOf(first)))}: ${painted(tally, colors)}`);
  const rows = tally.effects.map((effect): readonly Cell[] => [
    `  ${moment(timesOf(effect).startedAt)}`,
    outcomeOf(effect),
    `run ${shortId(effect.runId)}`,
    `call ${plain(effect.place.callId ?? '-')}`,
    `key ${shortId(effect.key)}`,
    [whyAgain(effect, tally), colors.dim],
  ]);
  for (const row of aligned(rows)) line(row);
  line();
}

function painted(tally: WishTally, { red, yellow, green, dim }: Terminal['colors']): string {
  const { verdict, done, undone, perhaps } = tally;
  const also = undone === 0 ? '' : `, and ${undone} undone`;
  const again = perhaps === 0 ? '' : `, and perhaps again (${perhaps} unknown)`;
  switch (verdict) {
    case 'more-than-once':
      return red(`DONE ${done} TIMES${again}${also}`);
    case 'perhaps-more-than-once':
      return yellow(
        done === 1
          ? `done once${again}${also}`
          : `perhaps done more than once (${perhaps} unknown)${also}`,
      );
    case 'perhaps-once':
      return yellow(`perhaps done (1 unknown)${also}`);
    case 'once':
      return green(`done once${also}`);
    case 'not-done':
      return dim(`not done${also}`);
  }
}

function printVerdict(
  wishes: number,
  repeated: number,
  doubtful: number,
  { line, colors }: Terminal,
): void {
  if (wishes === 0) {
    line(colors.bold('No effect in this ledger matches.'));
    return;
  }
  const of = `of ${counted(wishes, 'wish')}`;
  const perhaps =
    doubtful === 0 ? '' : ` Perhaps done more than once: ${doubtful} ${of}; an outcome is unknown.`;
  const nothing = doubtful === 0 ? 'Nothing was' : 'Nothing is known to have been';
  line(
    repeated === 0
      ? `${colors.bold(`${nothing} done more than once.`)}${perhaps}`
      : `${colors.bold(colors.red(`Done more than once: ${repeated} ${of}.`))}${perhaps}`,
  );
}
