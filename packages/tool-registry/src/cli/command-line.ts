import { type CAC, cac } from 'cac';
import { z } from 'zod';
import { docsForms } from '../docs/index.js';
import { headerOption } from '../live-server/header-option.js';
import { nearestNames } from '../nearest-names.js';
import { reportFormats } from './check-report.js';

const flagError = (option: string) => `${option} is given once, without a value.`;
const flag = (option: string) => z.boolean({ error: flagError(option) }).default(false);
// A number is how the parser reads a path named by digits.
const text = (option: string, what: string) =>
  z.union([z.string(), z.number()], { error: `${option} takes ${what}.` }).transform(String);
const choice = <const K extends string>(option: string, among: Readonly<Record<K, unknown>>) => {
  const names = Object.keys(among) as K[];
  return z.enum(names, {
    error: ({ input }) => `${option} takes ${names.join(', ')}, not ${JSON.stringify(input)}.`,
  });
};

const checkSettings = z.object({
  format: choice('--format', reportFormats).default('text'),
  strict: flag('--strict'),
});
const docsSettings = z
  .object({
    as: choice('--as', docsForms).default('markdown'),
    out: text('--out', 'one path').optional(),
    check: flag('--check'),
    stats: flag('--stats'),
    json: flag('--json'),
  })
  .refine(({ check, out }) => !check || out !== undefined, {
    error: '--check compares with a file: name it with --out.',
  })
  .refine(({ json, stats }) => !json || stats, {
    error: '--json is for the numbers of --stats. For docs in JSON give --as json.',
  });

const initSettings = z
  .object({
    mcp: text('--mcp', 'a command or an address').optional(),
    header: headerOption,
    langchain: text('--langchain', 'one path').optional(),
    out: text('--out', 'one path').optional(),
  })
  .transform(({ mcp, header, langchain, out }, context) => {
    if (mcp !== undefined && langchain === undefined)
      return { source: { of: 'server', mcp, header } as const, out };
    if (langchain !== undefined && mcp === undefined)
      return { source: { of: 'module', langchain } as const, out };
    context.addIssue('Of which tools? Give --mcp <server> or --langchain <file>.');
    return z.NEVER;
  });
const lockSettings = z.object({
  mcp: text('--mcp', 'a command or an address').optional(),
  header: headerOption,
  lock: text('--lock', 'one path').optional(),
});
const diffSettings = lockSettings.extend({ json: flag('--json') });

export type CheckSettings = z.output<typeof checkSettings>;
export type DocsSettings = z.output<typeof docsSettings>;
export type InitSettings = z.output<typeof initSettings>;
export type LockSettings = z.output<typeof lockSettings>;
export type DiffSettings = z.output<typeof diffSettings>;

/** What a command line asks for. What asks to be shown, help or version, is shown by then. */
export type Asked =
  | { readonly asks: 'shown' }
  | { readonly asks: 'misuse'; readonly message: string }
  | { readonly asks: 'check'; readonly files: readonly string[]; readonly settings: CheckSettings }
  | { readonly asks: 'docs'; readonly files: readonly string[]; readonly settings: DocsSettings }
  | { readonly asks: 'init'; readonly settings: InitSettings }
  | { readonly asks: 'lock'; readonly files: readonly string[]; readonly settings: LockSettings }
  | { readonly asks: 'diff'; readonly files: readonly string[]; readonly settings: DiffSettings };

const commands = ['init', 'check', 'docs', 'lock', 'diff'];

const misuse = (message: string): Asked => ({
  asks: 'misuse',
  message: `${message} See tool-registry --help.`,
});

/**
 * @param argv as in `process.argv`
 * @param version of this package
 */
export function readCommandLine(argv: readonly string[], version: string): Asked {
  // The parser would take the value of a flag for a file.
  const [, valued] =
    argv.map((arg) => /^(--(?:strict|check|stats|json))=/.exec(arg)).find(Boolean) ?? [];
  if (valued !== undefined) return misuse(flagError(valued));
  const cli = commandLine(version);
  try {
    cli.parse([...argv], { run: false });
    cli.matchedCommand?.checkUnknownOptions();
    cli.matchedCommand?.checkOptionValue();
    cli.matchedCommand?.checkUnusedArgs();
  } catch (error) {
    return misuse(`${error instanceof Error ? error.message : String(error)}.`);
  }
  const { options, matchedCommandName } = cli;
  if (options.help === true || (options.version === true && matchedCommandName === undefined)) {
    return { asks: 'shown' };
  }
  // What follows `--` are files, whatever they look like.
  const files = [...cli.args, ...(Array.isArray(options['--']) ? options['--'].map(String) : [])];
  switch (matchedCommandName) {
    case 'check': {
      const settings = checkSettings.safeParse(options);
      return settings.success ? { asks: 'check', files, settings: settings.data } : told(settings);
    }
    case 'docs': {
      const settings = docsSettings.safeParse(options);
      return settings.success ? { asks: 'docs', files, settings: settings.data } : told(settings);
    }
    case 'init': {
      const settings = initSettings.safeParse(options);
      return settings.success ? { asks: 'init', settings: settings.data } : told(settings);
    }
    case 'lock': {
      const settings = lockSettings.safeParse(options);
      return settings.success ? { asks: 'lock', files, settings: settings.data } : told(settings);
    }
    case 'diff': {
      const settings = diffSettings.safeParse(options);
      return settings.success ? { asks: 'diff', files, settings: settings.data } : told(settings);
    }
    default:
      return misuse(unknownCommand(cli.args[0]));
  }
}

function told({ error }: z.ZodSafeParseError<unknown>): Asked {
  return misuse(error.issues.map(({ message }) => message).join(' '));
}

function unknownCommand(name: string | undefined): string {
  const all = `There are ${commands.join(', ')}.`;
  if (name === undefined) return `Which command? ${all}`;
  const [near] = nearestNames(name, commands, 1);
  const hint = near === undefined ? all : `Did you mean ${near}?`;
  return `There is no command ${name}. ${hint}`;
}

const LIVE_SERVER = 'The tools of a live MCP server: its command, or its address';
const HEADER =
  "For a server at an address, repeatable: 'Name: value'; env:NAME in it is a variable";

function commandLine(version: string): CAC {
  const cli = cac('tool-registry');
  cli
    .command(
      'init',
      'Draft a registry for tools that are there, with a TODO for each open question',
    )
    .option('--mcp <server>', LIVE_SERVER)
    .option('--header <header>', HEADER)
    .option('--langchain <file>', 'The LangChain tools that this file exports')
    .option('--out <file>', 'Write to this new file (default: tools.registry.ts)')
    .example('  tool-registry init --mcp "npx some-server /data"')
    .example(
      "  tool-registry init --mcp https://host/mcp --header 'Authorization: Bearer env:TOKEN'",
    )
    .example('  tool-registry init --langchain ./tools.ts');
  cli
    .command('check [...files]', 'Check registry files; without files, all *.registry.ts below')
    .option('--format <name>', `How to print: ${Object.keys(reportFormats).join(', ')}`)
    .option('--strict', 'Fail on warnings too')
    .example('  tool-registry check')
    .example('  tool-registry check src/tools.registry.ts --format github --strict');
  cli
    .command('docs [file]', 'Write what the model, or a person, reads about the tools')
    .option('--as <form>', `The form: ${Object.keys(docsForms).join(', ')} (default: markdown)`)
    .option('--out <file>', 'Write to this file, not to standard output')
    .option('--check', 'Write nothing; fail if the file of --out is not what would be written')
    .option('--stats', 'Print what each tool costs in tokens')
    .option('--json', 'Print the numbers of --stats as JSON')
    .example('  tool-registry docs --out TOOLS.md')
    .example('  tool-registry docs --out TOOLS.md --check')
    .example('  tool-registry docs --as prompt --stats');
  cli
    .command('lock [file]', 'Write down what the tools promise now, once a person has reviewed it')
    .option('--mcp <server>', LIVE_SERVER)
    .option('--header <header>', HEADER)
    .option('--lock <file>', 'The lock file (default: registry.lock.json beside the registry)')
    .example('  tool-registry lock')
    .example('  tool-registry lock --mcp "npx some-server /data"');
  cli
    .command('diff [file]', 'Tell what changed since the lock was written')
    .option('--mcp <server>', LIVE_SERVER)
    .option('--header <header>', HEADER)
    .option('--lock <file>', 'The lock file (default: registry.lock.json beside the registry)')
    .option('--json', 'Print the changes as JSON')
    .example('  tool-registry diff');
  cli.version(version);
  cli.help((sections) => [
    ...sections,
    {
      title: 'Exit code',
      body: [
        '  0  all is well',
        '  1  check found errors (with --strict: or warnings); docs --check found a stale file; diff found a change',
        '  2  the command line cannot be followed, or a file cannot be read',
      ].join('\n'),
    },
  ]);
  return cli;
}
