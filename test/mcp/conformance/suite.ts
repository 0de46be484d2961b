import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const program = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/conformance/dist/index.js',
);
const run = promisify(execFile);

/** What a check of the suite ended with. One that only tells what it saw is none. */
const checkSchema = z.object({
  id: z.string(),
  status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
  details: z.record(z.string(), z.unknown()).default({}),
});

/** What one scenario of the suite found: each of its checks, and what it looked at, in their order. */
export type Checks = readonly z.output<typeof checkSchema>[];

/** Details that say how messages came and when, not which. */
const ofTheWay = new Set([
  'serverUrl',
  'hostHeader',
  'originHeader',
  'body',
  'results',
  'hasEventId',
  'lastEventId',
  'actualDelayMs',
]);

/** There is no Node.js that the suite runs on. */
export class NoNode22 extends Error {
  override readonly name = 'NoNode22';
}

/**
 * The public conformance suite, which needs Node.js 22: this one where it is, else npm's `node@22`.
 *
 * @throws NoNode22 where npm has none and cannot get one
 */
export async function findSuite(): Promise<Suite> {
  if (Number(process.versions.node.split('.')[0]) >= 22) return new Suite(process.execPath);
  try {
    const ask = ['-y', '--prefer-offline', '-p', 'node@22', 'node', '-p', 'process.execPath'];
    const { stdout } = await run('npx', ask);
    return new Suite(stdout.trim());
  } catch (error) {
    throw new NoNode22(
      `The conformance suite needs Node.js 22, and npx could not get the package node@22 (is there a network?). Run this with Node.js 22, or once with a network.\n${String(error)}`,
    );
  }
}

export class Suite {
  constructor(private readonly node: string) {}

  /** Runs all scenarios against a server. Gives their checks by name. */
  server(url: string): Promise<ReadonlyMap<string, Checks>> {
    return this.#run(['server', '--url', url, '--suite', 'all']);
  }

  /** Runs a scenario against a client: a command, to which the server's address is added. */
  client(command: string, scenario: string): Promise<ReadonlyMap<string, Checks>> {
    return this.#run(['client', '--command', command, '--scenario', scenario]);
  }

  async #run(args: readonly string[]): Promise<ReadonlyMap<string, Checks>> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-conformance-'));
    try {
      // It fails when a check does; what it wrote says which.
      const said = await run(this.node, [program, ...args, '-o', folder], {
        maxBuffer: 64 * 1024 * 1024,
      }).catch((error: unknown) => error);
      const found = await checksIn(folder);
      if (found.size === 0) throw new Error(`the conformance suite ran nothing: ${String(said)}`);
      return found;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function checksIn(folder: string): Promise<ReadonlyMap<string, Checks>> {
  const found = new Map<string, Checks>();
  for (const name of (await readdir(folder)).sort()) {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    const file = await readFile(join(folder, name, 'checks.json'), 'utf8');
    const checks = z.array(checkSchema).parse(JSON.parse(file));
    found.set(
      scenario,
      checks
        .filter(({ status }) => status !== 'INFO')
        .map(({ id, status, details }) => ({ id, status, details: comparable(details) })),
    );
  }
  return found;
}

/** What the guard says of an error result is the one thing that it adds. */
function comparable(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details)
      .filter(([name]) => !ofTheWay.has(name))
      .map(([name, value]) => [name, name === 'result' ? withoutFailure(value) : value]),
  );
}

function withoutFailure(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('_meta' in result)) return result;
  const { _meta, ...rest } = result;
  const { 'dev.holdfast/failure': failure, ...others } = _meta as Record<string, unknown>;
  if (failure === undefined) return result;
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others };
}
