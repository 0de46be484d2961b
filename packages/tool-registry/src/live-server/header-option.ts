import { z } from 'zod';

/** `--header`, given as often as there are headers. */
export const headerOption = z
  .union([z.string().transform((one) => [one]), z.array(z.string())], {
    error: "--header takes 'Name: value'.",
  })
  .default([]);

/**
 * Reads headers for a server at an address, such as `Authorization: Bearer env:TOKEN`.
 *
 * @param env where they find what must not stand on a command line
 */
export function readHeaders(
  given: readonly string[],
  env: NodeJS.ProcessEnv,
): { readonly headers: Readonly<Record<string, string>> } | { readonly problem: string } {
  const headers: Record<string, string> = {};
  for (const one of given) {
    const named = headerOf(one, env);
    if ('problem' in named) return named;
    headers[named.name] = named.value;
  }
  return { headers };
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
