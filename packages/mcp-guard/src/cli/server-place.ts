import { headerOption, readHeaders } from '@holdfast/tool-registry/live-server';
import type { CAC } from 'cac';
import { z } from 'zod';
import { text } from './option-values.js';

/** Where a server is: a program that is started, or an address. */
export type ServerPlace =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: URL; readonly headers: Readonly<Record<string, string>> };

/** What an address needs to be reached. */
const serverSettings = z.object({
  upstream: text('--upstream', 'an address').optional(),
  header: headerOption,
});

/** The options that say where a server is, where its command does not. */
export function addServerOptions(command: ReturnType<CAC['command']>): void {
  command
    .option('--upstream <url>', 'The server is at this address (streamable HTTP), not a program')
    .option(
      '--header <header>',
      "For the server at the address, repeatable: 'Name: value'; env:NAME in it is a variable",
    );
}

/**
 * Where the server of a command line is.
 *
 * @param program what stands behind `--`
 * @param env where headers find what must not stand on a command line
 */
export function readServerPlace(
  options: Readonly<Record<string, unknown>>,
  [command, ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): ServerPlace | { readonly problem: string } {
  const settings = serverSettings.safeParse(options);
  if (!settings.success) {
    return { problem: settings.error.issues.map(({ message }) => message).join(' ') };
  }
  const { upstream, header } = settings.data;
  if (upstream === undefined) {
    if (header.length > 0)
      return { problem: '--header is for a server at an address: --upstream.' };
    return command === undefined
      ? { problem: 'Which server? Its command stands behind --, or its address behind --upstream.' }
      : { command, args };
  }
  if (command !== undefined) {
    return { problem: `Which server, ${upstream} or ${command}? There is one to stand before.` };
  }
  const url = httpAddress(upstream);
  if (url === undefined) {
    return { problem: `--upstream takes an address as https://host/mcp, not ${upstream}.` };
  }
  if (url.username !== '' || url.password !== '') {
    const instead = "--header 'Authorization: Basic env:NAME'";
    return { problem: `--upstream takes no name and password; give them with ${instead}.` };
  }
  const read = readHeaders(header, env);
  return 'problem' in read ? read : { url, headers: read.headers };
}

/** What a server is called where nobody says it: its command, or its address without what is secret in it. */
export function nameOf(server: ServerPlace): string {
  return 'url' in server
    ? `${server.url.origin}${server.url.pathname}`
    : [server.command, ...server.args].join(' ');
}

function httpAddress(upstream: string): URL | undefined {
  if (!URL.canParse(upstream)) return undefined;
  const url = new URL(upstream);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}
