/** The public conformance suite on the fixture: as it is, and with the proxy before it. */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cac } from 'cac';
import { bundleFixture, bundleProxy } from '../bundle.js';
import { desk, type HostOptions } from '../host.js';
import { ListeningProxy } from '../http-host.js';
import { type ComparedPath, comparedPath, isSame, passed } from './compare.js';
import { serveFixture } from './fixture-http.js';
import { type Checks, findSuite, NoNode22, type Suite } from './suite.js';

const cli = cac('npm run conformance --');
cli
  .command('', 'Run the public suite on a server, directly and through the proxy, and compare')
  .option('--json', 'Print one JSON document instead of a table')
  .option('--scenario <name>', 'Only this one')
  .action(async (given: { json?: boolean; scenario?: string }) => {
    const suite = await findSuite();
    const paths = await allPaths(suite, given.scenario);
    if (given.json) console.log(JSON.stringify({ paths }, null, 2));
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

async function allPaths(
  suite: Suite,
  scenario: string | undefined,
): Promise<readonly ComparedPath[]> {
  const [bundle, program] = await Promise.all([bundleProxy(), bundleFixture()]);
  const fixture = await serveFixture();
  const run = async (path: string, url: string): Promise<ReadonlyMap<string, Checks>> => {
    const found = await suite.server(url, scenario);
    const { of, passed: well } = passed(found.values());
    console.error(`${path}: ${well} of ${of} checks passed`);
    return found;
  };
  try {
    const direct = await run('direct', fixture.url);
    const through = async (
      path: string,
      server: Pick<HostOptions, 'server' | 'upstream'>,
    ): Promise<ComparedPath> => {
      const proxy = await ListeningProxy.start(desk(), { bundle, withRegistry: false, ...server });
      try {
        return comparedPath(path, direct, await run(path, proxy.url));
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
    for (const file of [bundle.program, program]) {
      await rm(dirname(file), { recursive: true, force: true });
    }
  }
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
