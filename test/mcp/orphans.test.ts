import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleProxy } from './bundle.js';
import { desk, deskServer, Host } from './host.js';

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleProxy();
});

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.kill('SIGKILL')));
});

const [node = '', server = ''] = deskServer;
/** The server itself stays when its input ends; so do those behind a wrapper. */
const children = {
  'a server with a timer': [node, server],
  'a server behind sh -c': ['sh', '-c', `${node} ${server}; true`],
  'a server behind a program that waits for it': [
    node,
    '-e',
    `require('child_process').spawn('${node}', ['${server}'], { stdio: 'inherit' })`,
  ],
};
const ends = {
  SIGTERM: (host: Host) => host.kill('SIGTERM'),
  SIGKILL: (host: Host) => host.kill('SIGKILL'),
  'the end of its input': (host: Host) => host.leave(),
  'the end of its output': async (host: Host) => {
    host.child.stdout?.destroy();
    host.ask('tools/list');
    await host.ended();
  },
};

describe('MCP-31, MCP-32, MCP-33: nothing of a server is left', () => {
  for (const [child, command] of Object.entries(children)) {
    it.each(Object.entries(ends))(`of ${child}, after %s of the proxy`, async (_, end) => {
      const host = new Host(desk(), { bundle, server: command });
      hosts.push(host);
      await host.begin();
      const { pid } = JSON.parse(
        (await host.call('whoami')).result?.content?.[0]?.text ?? '{}',
      ) as { pid: number };
      expect(isAlive(pid)).toBe(true);
      await end(host);
      const after = performance.now();
      while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
      // On a machine that does much else a second may be longer; what is left for good never ends the loop.
      expect(performance.now() - after).toBeLessThan(10_000);
    });
  }
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
