import { type CAC, cac } from 'cac';
import type { z } from 'zod';
import { addCheckCommand, type CheckSettings, checkSettings } from './check-command.js';
import { addDraftCommand, type DraftSettings, draftSettings } from './draft-command.js';
import { type HostPlace, readHostPlace } from './host-place.js';
import { addProxyCommand, type ProxySettings, proxySettings } from './proxy-command.js';
import { readServerPlace, type ServerPlace } from './server-place.js';

/** What a command line asks for. What asks to be shown, help or version, is shown by then. */
export type Asked =
  | { readonly asks: 'shown' }
  | { readonly asks: 'misuse'; readonly message: string }
  | {
      readonly asks: 'proxy';
      readonly settings: ProxySettings;
      readonly server: ServerPlace;
      readonly host: HostPlace;
    }
  | { readonly asks: 'draft'; readonly settings: DraftSettings; readonly server: ServerPlace }
  | { readonly asks: 'check'; readonly settings: CheckSettings; readonly server: ServerPlace };

const misuse = (message: string): Asked => ({
  asks: 'misuse',
  message: `${message} See mcp-guard --help.`,
});

/**
 * @param argv as in `process.argv`
 * @param version of this package
 * @param env as in `process.env`
 */
export function readCommandLine(
  argv: readonly string[],
  version: string,
  env: NodeJS.ProcessEnv,
): Asked {
  // Everything behind the first `--` is the server's, its own `--` too.
  const divider = argv.indexOf('--');
  const own = divider === -1 ? argv : argv.slice(0, divider);
  const program = divider === -1 ? [] : argv.slice(divider + 1);
  const cli = commandLine(version);
  try {
    cli.parse([...own], { run: false });
    cli.matchedCommand?.checkUnknownOptions();
    cli.matchedCommand?.checkOptionValue();
  } catch (error) {
    return misuse(`${error instanceof Error ? error.message : String(error)}.`);
  }
  const { options } = cli;
  if (options.help === true || options.version === true) return { asks: 'shown' };
  const [stray] = cli.args;
  if (stray !== undefined) {
    return misuse(`What is ${stray}? The server's command stands behind --.`);
  }
  const server = readServerPlace(options, program, env);
  switch (commandOf(cli)) {
    case 'draft': {
      const settings = draftSettings.safeParse(options);
      if (!settings.success) return told(settings);
      if ('problem' in server) return misuse(server.problem);
      return { asks: 'draft', settings: settings.data, server };
    }
    case 'check': {
      const settings = checkSettings.safeParse(options);
      if (!settings.success) return told(settings);
      if ('problem' in server) return misuse(server.problem);
      return { asks: 'check', settings: settings.data, server };
    }
    case 'proxy': {
      const settings = proxySettings.safeParse(options);
      if (!settings.success) return told(settings);
      if ('problem' in server) return misuse(server.problem);
      const host = readHostPlace(options, env);
      return 'problem' in host
        ? misuse(host.problem)
        : { asks: 'proxy', settings: settings.data, server, host };
    }
  }
}

function told({ error }: z.ZodSafeParseError<unknown>): Asked {
  return misuse(error.issues.map(({ message }) => message).join(' '));
}

function commandLine(version: string): CAC {
  const cli = cac('mcp-guard');
  addProxyCommand(cli);
  addDraftCommand(cli);
  addCheckCommand(cli);
  cli.version(version);
  cli.help((sections) => [
    ...sections,
    ...(commandOf(cli) === 'proxy' ? [IN_A_HOST] : []),
    { title: 'Exit code', body: EXIT_CODES[commandOf(cli)] },
  ]);
  return cli;
}

function commandOf({ matchedCommandName: name }: CAC): 'proxy' | 'draft' | 'check' {
  return name === 'draft' || name === 'check' ? name : 'proxy';
}

const IN_A_HOST = {
  title: 'In a host',
  body: [
    "  Put it before the command of the server in the host's configuration:",
    '  "files": {',
    '    "command": "npx",',
    '    "args": ["-y", "@holdfast/mcp-guard", "--", "npx", "-y",',
    '             "@modelcontextprotocol/server-filesystem", "/data"]',
    '  }',
  ].join('\n'),
};

const MISUSE = '  2  the command line cannot be followed, or a file or an address cannot be used';
const EXIT_CODES: Readonly<Record<'proxy' | 'draft' | 'check', string>> = {
  proxy: `  0  the host went away, or a signal ended it\n  1  the server never came to work\n${MISUSE}`,
  draft: `  0  the draft is written\n  1  the server never came to work\n${MISUSE}`,
  check: `  0  the registry fits the server\n  1  it does not\n${MISUSE}, or the server never came to work`,
};
