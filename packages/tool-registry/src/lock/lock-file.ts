import { z } from 'zod';
import { canonicalJson } from '../canonical-json.js';

/** What a source of tools promised when a person reviewed it: a contract for each tool, by name. */
export interface LockedTools {
  /** The registry's name, or what the server calls itself. */
  readonly name: string;
  readonly tools: Readonly<Record<string, unknown>>;
}

/** The reviewed contracts of a registry, of a live MCP server, or of both. */
export interface Lock {
  readonly registry?: LockedTools | undefined;
  readonly server?: LockedTools | undefined;
}

/** The file beside a registry that holds its lock. */
export const LOCK_FILE = 'registry.lock.json';

const VERSION = 1;
const locked = z.object({ name: z.string(), tools: z.record(z.string(), z.unknown()) });
const lockFile = z.object({
  lockVersion: z.literal(VERSION),
  registry: locked.optional(),
  server: locked.optional(),
});

/** Reads the text of a lock file. */
export function readLock(text: string): { readonly lock: Lock } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `it is no JSON (${error instanceof Error ? error.message : String(error)})` };
  }
  const read = lockFile.safeParse(value);
  if (read.success) return { lock: read.data };
  const [issue] = read.error.issues;
  return {
    problem: `it is no lock file of version ${VERSION}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  };
}

/** The text of a lock file: sorted, a line for each member, so that a review sees what changed. */
export function printLock({ registry, server }: Lock): string {
  const sorted: unknown = JSON.parse(
    canonicalJson({
      lockVersion: VERSION,
      ...(registry === undefined ? {} : { registry }),
      ...(server === undefined ? {} : { server }),
    }),
  );
  return `${JSON.stringify(sorted, null, 2)}\n`;
}
