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
  header: z
    .union([z.string().transform((one) => [one]), z.array(z.string())], {
      error: "--header takes 'Name: value'.",
    })
    .default([]),
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
  const read = serverSettings.safeParse(options);
  if (!read.success) return { problem: read.error.issues.map(({ message }) => message).join(' ') };
  const { upstream, header } = read.data;
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
  const headers: Record<string, string> = {};
  for (const one of header) {
    const named = headerOf(one, env);
    if ('problem' in named) return named;
    headers[named.name] = named.value;
  }
  return { url, headers };
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

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.+)$/;

const VALUE = /^[\t\x20-\x7e\x80-\xff]+$/;

/** Headers that the protocol sets itself. */
const TAKEN = /^(?:mcp-.*|accept|content-type|content-length|host|last-event-id)$/i;

function headerOf(
  header: string,
  env: NodeJS.ProcessEnv,
): { readonly name: string; readonly value: string } | { readonly problem: string } {
  const [, name, written] = HEADER.exec(header) ?? [];
  // The value may be a secret, so it is not said again.
  if (name === undefined || written === undefined) {
    return { problem: "--header takes 'Name: value', such as 'Authorization: Bearer env:TOKEN'." };
  }
  if (TAKEN.test(name)) return { problem: `--header cannot set ${name}: the protocol does.` };
  const missing = [...written.matchAll(VARIABLE)].find(([, variable = '']) => !env[variable]);
  if (missing !== undefined) {
    return { problem: `--header ${name}: the variable ${missing[1]} is not set.` };
  }
  const value = written.replace(VARIABLE, (_, variable: string) => env[variable]?.trim() ?? '');
  if (!VALUE.test(value)) {
    return { problem: `--header ${name}: its value has characters that no header may have.` };
  }
  return { name: name.toLowerCase(), value };
}

/** A word that stands for a variable. */
const VARIABLE = /(?<!\S)env:([A-Za-z_][A-Za-z0-9_]*)/g;
