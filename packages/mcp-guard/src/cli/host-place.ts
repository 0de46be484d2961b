import { readFileSync } from 'node:fs';
import type { CAC } from 'cac';
import { z } from 'zod';
import { isLoopbackHost } from '../http/request-checks.js';
import { text } from './option-values.js';

/** Where hosts come in: through the standard streams, one of them, or at an address. */
export type HostPlace =
  | { readonly by: 'stdio' }
  | {
      readonly by: 'http';
      readonly host: string;
      /** 0 for any that is free. */
      readonly port: number;
      /** What hosts have to show; always there where others than this machine can come in. */
      readonly token?: string;
    };

const hostSettings = z.object({
  http: text('--http', 'a host and a port').optional(),
  token: text('--token', 'env:NAME or a file').optional(),
});

/** The options that say where hosts come in, where they are not the standard streams. */
export function addHostOptions(command: ReturnType<CAC['command']>): void {
  command
    .option(
      '--http <host:port>',
      'Listen there for hosts (streamable HTTP at /mcp); port 0 takes any that is free',
    )
    .option(
      '--token <source>',
      'What hosts must show as bearer token: env:NAME, or a file; needed beyond this machine',
    );
}

/**
 * Where hosts of a command line come in.
 *
 * @param env where a token may be
 */
export function readHostPlace(
  options: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
): HostPlace | { readonly problem: string } {
  const read = hostSettings.safeParse(options);
  if (!read.success) return { problem: read.error.issues.map(({ message }) => message).join(' ') };
  const { http, token: source } = read.data;
  if (http === undefined) {
    return source === undefined ? { by: 'stdio' } : { problem: '--token is for --http.' };
  }
  const address = addressOf(http);
  if (address === undefined) {
    return { problem: `--http takes a host and a port as 127.0.0.1:8931, not ${http}.` };
  }
  if (source === undefined) {
    return isLoopbackHost(address.host)
      ? { by: 'http', ...address }
      : { problem: `--http ${http} lets other machines in: say with --token what they must show.` };
  }
  const token = tokenOf(source, env);
  return 'problem' in token ? token : { by: 'http', ...address, ...token };
}

function addressOf(http: string): { readonly host: string; readonly port: number } | undefined {
  const parts = /^(?:(?:\[(?<six>[^\]]+)\]|(?<host>[^:[\]]+)):)?(?<port>\d{1,5})$/.exec(http);
  const { six, host, port } = parts?.groups ?? {};
  if (port === undefined || Number(port) > 65_535) return undefined;
  return { host: six ?? host ?? '127.0.0.1', port: Number(port) };
}

function tokenOf(
  source: string,
  env: NodeJS.ProcessEnv,
): { readonly token: string } | { readonly problem: string } {
  const variable = /^env:(.+)$/.exec(source)?.[1];
  const found = variable === undefined ? fileText(source) : env[variable];
  if (found === undefined || found.trim() === '') {
    const where = variable === undefined ? `the file ${source}` : `the variable ${variable}`;
    return { problem: `--token: ${where} is not there, or empty.` };
  }
  return { token: found.trim() };
}

function fileText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
