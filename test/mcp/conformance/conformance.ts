/**
 * The public conformance suite on the fixture, as it is and with the proxy before it; and on a client of the SDK,
 * as it is and guarded.
 */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cac } from 'cac';
import { bundleForSuite, bundleProxy } from '../bundle.js';
import { desk, type HostOptions } from '../host.js';
import { ListeningProxy } from '../http-host.js';
import { type ComparedPath, comparedPath, isSame, passed } from './compare.js';
import { serveFixture } from './fixture-http.js';
import { type Checks, findSuite, NoNode22, type Suite } from './suite.js';

const cli = cac('npm run conformance --');
cli
  .command(
    '',
    'Run the public suite on a server and a client, without the guard and with it, and compare',
  )
  .option('--json', 'Print one JSON document instead of a table')
  .action(async ({ json = false }: { json?: boolean }) => {
    const suite = await findSuite();
    const paths = [...(await serverPaths(suite)), await clientPath(suite)];
    if (json) console.log(JSON.stringify({ paths }, null, 2));
    else for (const path of paths) console.log(textOf(path));
    process.exitCode = paths.every(({ same }) => same) ? 0 : 1;
  });
cli.help();
cli.parse(process.argv, { run: false });
try {
  await cli.runMatchedCommand();
} catch (error) {
  console.error(error instanceof NoNode22 ? error.message : error);
  process.exitCode = 2;
}

async function serverPaths(suite: Suite): Promise<readonly ComparedPath[]> {
  const [bundle, program] = await Promise.all([bundleProxy(), bundleForSuite('fixture')]);
  const fixture = await serveFixture();
  try {
    const direct = told('server', await suite.server(fixture.url));
    const through = async (
      path: string,
      server: Pick<HostOptions, 'server' | 'upstream'>,
    ): Promise<ComparedPath> => {
      const proxy = await ListeningProxy.start(desk(), { bundle, withRegistry: false, ...server });
      try {
        return comparedPath(path, direct, told(path, await suite.server(proxy.url)));
      } finally {
        await proxy.end('SIGTERM');
      }
    };
    return [
      await through('stdio to HTTP', { server: [process.execPath, program] }),
      await through('HTTP to HTTP', { upstream: fixture.url }),
    ];
  } finally {
    fixture.server.close();
    await removeFolderOf(bundle.program, program);
  }
}

async function clientPath(suite: Suite): Promise<ComparedPath> {
  const program = await bundleForSuite('client');
  const run = async (command: string): Promise<ReadonlyMap<string, Checks>> => {
    const found = new Map<string, Checks>();
    for (const scenario of ['initialize', 'tools_call', 'sse-retry']) {
      for (const [name, checks] of await suite.client(command, scenario)) found.set(name, checks);
    }
    return found;
  };
  try {
    const direct = told('client', await run(`${process.execPath} ${program}`));
    const guarded = await run(`${process.execPath} ${program} --guarded`);
    return comparedPath('guardClient', direct, told('guardClient', guarded));
  } finally {
    await removeFolderOf(program);
  }
}

function told(path: string, found: ReadonlyMap<string, Checks>): ReadonlyMap<string, Checks> {
  const { of, passed: well } = passed(found.values());
  console.error(`${path}: ${well} of ${of} checks passed`);
  return found;
}

async function removeFolderOf(...files: readonly string[]): Promise<void> {
  for (const file of files) await rm(dirname(file), { recursive: true, force: true });
}

function textOf({ path, scenarios, same }: ComparedPath): string {
  const different = scenarios.filter((scenario) => !isSame(scenario));
  return [
    `${path}: ${scenarios.length} scenarios, ${same ? 'each the same as directly' : `${different.length} not the same`}`,
    ...different.map(
      ({ name, direct, proxied }) =>
        `  ${name}\n    direct:  ${JSON.stringify(direct)}\n    proxied: ${JSON.stringify(proxied)}`,
    ),
  ].join('\n');
}
