import { fileURLToPath } from 'node:url';
import type { Bundle } from './bundle.js';
import { desk, deskServer, Host } from './host.js';
import { startedBy, stillThere } from './process-tree.js';

const [node = '', server = ''] = deskServer;
const testFolder = fileURLToPath(new URL('..', import.meta.url));

/** Servers by how they are started. All but the first stay when their input ends. */
const children = {
  plain: [node, server, '--leaves'],
  timer: [node, server],
  'sh -c': ['sh', '-c', `${node} ${server}; true`],
  // It runs what the package's folder has, and waits for it.
  npx: ['npx', '--no', '--prefix', testFolder, 'mcp-server-everything'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** How the proxy is ended. */
const ends = {
  SIGTERM: (host: Host) => host.kill('SIGTERM'),
  SIGKILL: (host: Host) => host.kill('SIGKILL'),
  'stdin EOF': (host: Host) => host.leave(),
  'stdout closed': async (host: Host) => {
    host.child.stdout?.destroy();
    host.ask('tools/list');
    await host.ended();
  },
} as const satisfies Readonly<Record<string, (host: Host) => Promise<unknown>>>;

export interface OrphanCell {
  readonly ended: keyof typeof ends;
  readonly child: keyof typeof children;
}

export const orphanCells: readonly OrphanCell[] = Object.keys(children).flatMap((child) =>
  Object.keys(ends).map((ended) => ({ ended, child }) as OrphanCell),
);

/**
 * Starts a server behind the proxy and ends the proxy.
 *
 * @returns how many processes it had started, and how many of them are left, now or later
 */
export async function endProxy(
  { ended, child }: OrphanCell,
  bundle: Bundle,
): Promise<{ readonly started: number; left(): Promise<number> }> {
  const host = new Host(desk(), { bundle, server: children[child] });
  await host.begin();
  await host.request('tools/list');
  const started = await startedBy(host.child.pid ?? 0);
  await ends[ended](host);
  return { started: started.size, left: () => stillThere(started) };
}
