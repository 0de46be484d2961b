import { readFileSync } from 'node:fs';
import { type CAC, cac } from 'cac';
import type { EffectState } from '../effect.js';
import { type AskedArgument, askedArgument } from './argument-search.js';
import { CommandError } from './command-error.js';
import { literal, markNumbers } from './literal-arguments.js';

export interface ListCommand {
  readonly command: 'list';
  readonly file: string;
  readonly run?: string;
  readonly thread?: string;
  readonly state?: EffectState['state'];
  readonly limit: number;
  readonly json: boolean;
}
export interface ShowCommand {
  readonly command: 'show';
  readonly file: string;
  /** A run, a key or a thread; of the first two the beginning is enough. */
  readonly what: string;
  readonly args: boolean;
  readonly json: boolean;
}
export interface FindCommand {
  readonly command: 'find';
  readonly file: string;
  readonly key?: string;
  readonly call?: string;
  readonly thread?: string;
  readonly tool?: string;
  readonly args: readonly AskedArgument[];
  readonly limit: number;
  readonly json: boolean;
}
export type Command = ListCommand | ShowCommand | FindCommand;

const states = ['attempting', 'suspended', 'succeeded', 'failed', 'unknown'] as const;
/** Each may be read in two ways, and all combinations are looked for. */
const mostArguments = 10;
const exitCodes = [
  '  0  done',
  '  1  find: something was done more than once',
  '  2  it could not be done',
].join('\n');

/**
 * What a command line asks for; the text of `help` is printed by then.
 *
 * @param argv as in `process.argv`.
 * @throws CommandError for one that cannot be followed
 */
export function readCommandLine(argv: readonly string[]): Command | { readonly command: 'help' } {
  const cli = commandLine();
  cli.parse(markNumbers(argv), { run: false });
  if (cli.options.help === true) return { command: 'help' };
  if (cli.options.version === true) {
    // For a command the parser does not print it.
    if (cli.matchedCommandName !== undefined) cli.outputVersion();
    return { command: 'help' };
  }
  const [file, what] = checked(cli).map(literal);
  const options = new GivenOptions(cli.options);
  if (file === undefined || file === '') throw misuse('no file is given');
  switch (cli.matchedCommandName) {
    case 'list':
      return {
        command: 'list',
        file,
        ...options.texts('run', 'thread'),
        ...options.state(),
        limit: options.limit(),
        json: options.flag('json'),
      };
    case 'show':
      if (what === undefined || what === '') throw misuse('nothing is given to show');
      return {
        ...{ command: 'show', file, what },
        args: options.flag('args'),
        json: options.flag('json'),
      };
    default: {
      const given = options.texts('key', 'call', 'thread', 'tool');
      const args = options.arguments();
      if (Object.keys(given).length + args.length === 0) {
        throw misuse(
          'find needs to know what to look for',
          'give --key, --call, --thread, --tool or --arg',
        );
      }
      return {
        ...{ command: 'find', file, ...given, args },
        limit: options.limit(),
        json: options.flag('json'),
      };
    }
  }
}

function commandLine(): CAC {
  const cli = cac('effect-ledger');
  const limited = (of: string) =>
    ['--limit <n>', `Show at most so many ${of} (default: 20)`] as const;
  cli
    .command('list <file>', 'List runs, last active first, with what became of their effects')
    .option('--run <id>', 'Only this run (the beginning of its id is enough)')
    .option('--thread <id>', 'Only runs of this thread')
    .option('--state <state>', `Only runs with an effect that is ${states.join(', ')}`)
    .option(...limited('runs'))
    .option('--json', 'Print one JSON document')
    .example('  effect-ledger list agent.db --state unknown');
  cli
    .command('show <file> <what>', 'Show a run, an effect (by its key) or a thread, move by move')
    .option('--args', 'Show arguments too, where they are still kept')
    .option('--json', 'Print one JSON document')
    .example('  effect-ledger show agent.db run_3f2a9c1b04');
  cli
    .command('find <file>', 'Was this done twice? Exit code 1 if something was')
    .option('--key <key>', 'The effect with this key (the beginning is enough)')
    .option('--call <id>', 'Effects of the call with this id')
    .option('--thread <id>', 'Effects of this thread')
    .option('--tool <name>', 'Effects of this tool')
    .option('--arg <name=value>', 'Effects with this argument; may be given several times')
    .option(...limited('wishes'))
    .option('--json', 'Print one JSON document')
    .example('  effect-ledger find agent.db --tool refund --arg invoiceId=inv_7 --arg cents=500');
  cli.version(packageVersion());
  cli.help((sections) => [
    { body: "Looks into a ledger's file. Never changes it, and never calls a tool." },
    ...sections.filter(({ title }) => title !== undefined && !title.startsWith('For more info')),
    { title: 'Exit code', body: exitCodes },
  ]);
  return cli;
}

/** The arguments of the command, once all that was given is known to it. */
function checked(cli: CAC): readonly string[] {
  const { matchedCommand } = cli;
  if (matchedCommand === undefined) {
    const named = cli.args[0];
    throw misuse(
      named === undefined ? 'no command is given' : `there is no command ${literal(named)}`,
      'there are list, show and find, as in: effect-ledger list FILE (see effect-ledger --help)',
    );
  }
  try {
    matchedCommand.checkUnknownOptions();
    matchedCommand.checkOptionValue();
    matchedCommand.checkRequiredArgs();
    matchedCommand.checkUnusedArgs();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw misuse(literal(message), `see effect-ledger ${matchedCommand.name} --help`);
  }
  return cli.args;
}

/** The options as the parser read them. */
class GivenOptions {
  constructor(private readonly given: Readonly<Record<string, unknown>>) {}

  flag(name: string): boolean {
    return [this.given[name]].flat().includes(true);
  }

  /** Those of these options that are given. */
  texts<N extends string>(...names: readonly N[]): { readonly [Name in N]?: string } {
    const found: { [Name in N]?: string } = {};
    for (const name of names) {
      const [value, ...more] = this.#values(name);
      if (more.length > 0) throw misuse(`--${name} is given more than once`);
      if (value !== undefined) found[name] = value;
    }
    return found;
  }

  state(): { readonly state?: EffectState['state'] } {
    const { state: given } = this.texts('state');
    if (given === undefined) return {};
    const state = states.find((name) => name === given);
    if (state === undefined) {
      throw misuse(`there is no state ${given}`, `there are: ${states.join(', ')}`);
    }
    return { state };
  }

  limit(): number {
    const { limit = '20' } = this.texts('limit');
    const count = Number(limit);
    if (Number.isSafeInteger(count) && count > 0) return count;
    throw misuse(`--limit is ${limit}`, 'give a whole number from 1');
  }

  arguments(): readonly AskedArgument[] {
    const asked = this.#values('arg').map((text) => {
      const argument = askedArgument(text);
      if (argument === undefined)
        throw misuse(`--arg ${text} names no argument`, 'give name=value');
      return argument;
    });
    if (asked.length > mostArguments) {
      throw misuse(
        `--arg is given ${asked.length} times`,
        `give it at most ${mostArguments} times`,
      );
    }
    return asked;
  }

  #values(name: string): readonly string[] {
    const value = this.given[name];
    if (value === undefined) return [];
    return [value].flat().map((one) => {
      if (typeof one === 'string') return literal(one);
      throw misuse(`--${name} has no value`);
    });
  }
}

function misuse(reason: string, fix = 'see effect-ledger --help'): CommandError {
  return new CommandError(reason, fix);
}

function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}
