import type { Pinning } from '../pins/pinned-tools.js';
import type { ProxySettings } from './proxy-command.js';
import { readReviewedServer } from './read-lock-file.js';

/**
 * What of the server was reviewed: the lock file's word. Undefined where nothing is pinned. Outside of
 * enforcing nothing is blocked.
 */
export async function readPinning({
  pinned,
  lock,
  registry,
  mode,
}: Pick<ProxySettings, 'pinned' | 'lock' | 'registry' | 'mode'>): Promise<
  { readonly pinning: Pinning | undefined } | { readonly problem: string }
> {
  if (pinned === undefined) return { pinning: undefined };
  const reviewed = await readReviewedServer(lock, registry);
  if ('problem' in reviewed) return { problem: `--pinned: ${reviewed.problem}` };
  if ('missing' in reviewed) {
    const how = 'Review the tools and write it: tool-registry lock --mcp "<command of the server>"';
    return { problem: `--pinned: ${reviewed.missing}. ${how}` };
  }
  const { tools } = reviewed.server;
  return { pinning: { tools, policy: mode === 'enforce' ? pinned : 'warn' } };
}
