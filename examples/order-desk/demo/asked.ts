import { type CAC, cac } from 'cac';
import { z } from 'zod';
import { type FaultName, faultNames } from './scenario.js';

/** What to play, where to keep the files, and how to print. */
export interface Settings {
  faults: readonly FaultName[];
  folder?: string;
  json: boolean;
}

/** What a command line asks for. The text of `help` is printed by then. */
export type Asked =
  | { kind: 'help' | 'list' }
  | { kind: 'misuse'; message: string }
  | { kind: 'demo'; settings: Settings };

const options = z.object({
  fault: z
    .enum(faultNames, {
      error: ({ input }) => `There is no fault "${input}". There are: ${faultNames.join(', ')}.`,
    })
    .optional(),
  // A number is how the parser reads a folder named by digits.
  folder: z.coerce.string({ error: '--folder needs one folder.' }).optional(),
  json: z.boolean({ error: '--json takes no value.' }).default(false),
  list: z.boolean({ error: '--list takes no value.' }).default(false),
  help: z.boolean().default(false),
});

/** @param argv as in `process.argv`. */
export function readCommandLine(argv: string[]): Asked {
  const cli = commandLine();
  try {
    cli.parse(argv, { run: false });
    cli.matchedCommand?.checkUnknownOptions();
    cli.matchedCommand?.checkOptionValue();
    cli.matchedCommand?.checkUnusedArgs();
  } catch (error) {
    return {
      kind: 'misuse',
      message: `${error instanceof Error ? error.message : String(error)}. See --help.`,
    };
  }
  const parsed = options.safeParse(cli.options);
  if (!parsed.success) {
    return {
      kind: 'misuse',
      message: parsed.error.issues.map((issue) => issue.message).join('\n'),
    };
  }
  const { fault, folder, json, list, help } = parsed.data;
  if (help) return { kind: 'help' };
  if (list) return { kind: 'list' };
  return {
    kind: 'demo',
    settings: {
      faults: fault === undefined ? faultNames : [fault],
      json,
      ...(folder !== undefined && { folder }),
    },
  };
}

function commandLine(): CAC {
  const cli = cac('npm run demo --');
  cli
    .command('')
    .usage('[options]')
    .option('--fault <name>', 'Play only this fault; see --list')
    .option(
      '--folder <dir>',
      'Keep the files in this new or empty folder (default: a temporary one)',
    )
    .option('--json', 'Print one JSON document to stdout and everything else to stderr')
    .option('--list', 'List the faults and end')
    .example('  npm run demo')
    .example('  npm run demo -- --fault kill')
    .example('  npm --silent run demo -- --json > counts.json');
  cli.help((sections) => [
    { body: 'A stock agent and a guarded one meet the same faults, and the services count.' },
    ...sections.filter(({ title }) => title && shownSections.includes(title)),
    {
      title: 'Exit code',
      body: [
        '  0  every bound was kept',
        '  1  a bound was broken, or the demo failed',
        '  2  the command line cannot be followed',
      ].join('\n'),
    },
  ]);
  return cli;
}

/** The rest of the parser's help is about commands, and the demo has none. */
const shownSections = ['Usage', 'Options', 'Examples'];
