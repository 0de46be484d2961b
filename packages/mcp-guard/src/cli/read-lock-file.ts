import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LOCK_FILE, type LockedTools, readLock } from '@holdfast/tool-registry/lock';

/** What of a live server was reviewed, by a lock file. */
export type ReviewedServer =
  | { readonly server: LockedTools }
  /** There is no file, or it locks no server. */
  | { readonly missing: string }
  | { readonly problem: string };

/**
 * Reads what of a server was reviewed.
 *
 * @param lock the lock file; without it the one beside the registry
 */
export async function readReviewedServer(
  lock: string | undefined,
  registry: string | undefined,
): Promise<ReviewedServer> {
  const file = resolve(lock ?? join(dirname(registry ?? '.'), LOCK_FILE));
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const why = `${file}: ${error instanceof Error ? error.message : String(error)}`;
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? { missing: why } : { problem: why };
  }
  const read = readLock(text);
  if ('problem' in read) return { problem: `${file}: ${read.problem}` };
  const { server } = read.lock;
  return server === undefined ? { missing: `${file} locks no live server` } : { server };
}
