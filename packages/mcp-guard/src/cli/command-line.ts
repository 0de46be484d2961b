import { type CAC, cac } from 'cac';
import { z } from 'zod';

const text = (option: string, what: string) =>
  z.union([z.string(), z.number()], { error: `${option} takes ${what}, once.` }).transform(String);

const settings = z.object({
  registry: text('--registry', 'a file').optional(),
  ledger: text('--ledger', 'a file').optional(),
  name: text('--name', 'a name').optional(),
  events: text('--events', 'a file').optional(),
  mode: z
    .enum(['enforce', 'shadow', 'off'], {
      error: ({ input }) => `--mode takes enforce, shadow, off, not ${JSON.stringify(input)}.`,
    })
    .default('enforce'),
});
export type Settings = z.output<typeof settings>;

/** What a command line asks for. What asks to be shown, help or version, is shown by then. */
export type Asked =
  | { readonly asks: 'shown' }
  | { readonly asks: 'misuse'; readonly message: string }
  | {
      readonly asks: 'proxy';
      readonly settings: Settings;
      readonly command: string;
      readonly args: readonly string[];
    };

const misuse = (message: string): Asked => ({
  asks: 'misuse',
  message: `${message} See mcp-guard --help.`,
});

/**
 * @param argv as in `process.argv`
 * @param version of this package
 */
export function readCommandLine(argv: readonly string[], version: string): Asked {
  // Everything behind the first `--` is the server's, its own `--` too.
  const divider = argv.indexOf('--');
  const own = divider === -1 ? argv : argv.slice(0, divider);
  const [command, ...args] = divider === -1 ? [] : argv.slice(divider + 1);
  const cli = commandLine(version);
  try {
    cli.parse([...own], { run: false });
    cli.matchedCommand?.checkUnknownOptions();
    cli.matchedCommand?.checkOptionValue();
  } catch (error) {
    return misuse(`${error instanceof Error ? error.message : String(error)}.`);
  }
  if (cli.options.help === true || cli.options.version === true) return { asks: 'shown' };
  const [stray] = cli.args;
  if (stray !== undefined) {
    return misuse(`What is ${stray}? The server's command stands behind --.`);
  }
  if (command === undefined) return misuse('Which server? Its command stands behind --.');
  const read = settings.safeParse(cli.options);
  if (!read.success) return misuse(read.error.issues.map(({ message }) => message).join(' '));
  return { asks: 'proxy', settings: read.data, command, args };
}

function commandLine(version: string): CAC {
  const cli = cac('mcp-guard');
  cli
    .command('', 'Stand before an MCP server and guard the calls of its tools')
    .usage('[options] -- <command of the server> [its arguments]')
    .option('--registry <file>', 'What the tools promise; without one all are treated as unknown')
    .option(
      '--ledger <file>',
      "Where effects are written down (default: in the user's state folder)",
    )
    .option('--name <name>', 'What the server is called in the ledger (default: its command)')
    .option('--mode <mode>', 'enforce, shadow (judge and record only), off (default: enforce)')
    .option('--events <file>', 'Append events to this file, a JSON line each')
    .example('  mcp-guard -- npx -y @modelcontextprotocol/server-filesystem /data')
    .example('  mcp-guard --registry tools.registry.ts -- node server.mjs');
  cli.version(version);
  cli.help((sections) => [
    ...sections,
    {
      title: 'In a host',
      body: [
        "  Put it before the command of the server in the host's configuration:",
        '  "files": {',
        '    "command": "npx",',
        '    "args": ["-y", "@holdfast/mcp-guard", "--", "npx", "-y",',
        '             "@modelcontextprotocol/server-filesystem", "/data"]',
        '  }',
      ].join('\n'),
    },
    {
      title: 'Exit code',
      body: [
        '  0  the host went away',
        '  1  the server never came to work',
        '  2  the command line cannot be followed, or a file cannot be used',
      ].join('\n'),
    },
  ]);
  return cli;
}
