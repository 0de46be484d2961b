import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

const packageFolder = fileURLToPath(new URL('../..', import.meta.url));
const dependencies = ['cac', 'fastest-levenshtein', 'jiti', 'picocolors', 'zod'];

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A user's project in a temporary folder, with this package built and installed in it. */
export class Project {
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
  }

  static async create(): Promise<Project> {
    const root = await mkdtemp(join(tmpdir(), 'holdfast-tool-registry-'));
    const installed = join(root, 'node_modules/@holdfast/tool-registry');
    const entry = { index: 'src/index.ts', 'cli/main': 'src/cli/main.ts' };
    await build({
      config: false,
      cwd: packageFolder,
      entry,
      format: 'esm',
      outDir: join(installed, 'dist'),
      dts: false,
      platform: 'node',
      logLevel: 'silent',
    });
    await build({
      config: false,
      cwd: packageFolder,
      entry: { index: entry.index },
      format: 'cjs',
      outDir: join(installed, 'dist'),
      clean: false,
      dts: false,
      platform: 'node',
      logLevel: 'silent',
    });
    await cp(join(packageFolder, 'package.json'), join(installed, 'package.json'));
    const project = new Project(root);
    for (const name of dependencies) await project.install(name);
    await project.write('package.json', '{ "type": "module" }');
    return project;
  }

  /** The absolute path of a place in the project. */
  path(place: string): string {
    return join(this.#root, place);
  }

  /** Links a package that this one depends on, so that the project has it. */
  async install(name: string): Promise<void> {
    const place = join(this.#root, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(packageFolder, 'node_modules', name), place, 'dir');
  }

  async write(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.#root, file)), { recursive: true });
    await writeFile(join(this.#root, file), text);
  }

  async link(to: string, from: string): Promise<void> {
    await symlink(this.path(to), this.path(from));
  }

  read(file: string): Promise<string> {
    return readFile(join(this.#root, file), 'utf8');
  }

  /** Makes a folder an empty one. */
  async empty(folder: string): Promise<void> {
    await rm(this.path(folder), { recursive: true, force: true });
    await mkdir(this.path(folder));
  }

  /** Runs the program as a process of its own, in a folder of the project. */
  run(
    args: readonly string[],
    where = '.',
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const program = join(this.#root, 'node_modules/@holdfast/tool-registry/dist/cli/main.mjs');
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [program, ...args],
        { cwd: join(this.#root, where), env: { ...process.env, GITHUB_WORKSPACE: '', ...env } },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
          resolve({ code, stdout, stderr });
        },
      );
    });
  }

  async delete(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }
}

/** A registry file in TypeScript that Node.js alone cannot run, with one read and one write. */
export function registrySource(summary = 'Look up one order by its id.'): string {
  return `
    import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
    import { z } from 'zod';
    enum Group { Orders = 'orders-db' }
    const shared = { resourceGroup: Group.Orders, owner: 'orders@team' } as const;
    const getOrder = defineTool({
      ...shared,
      name: 'get_order',
      summary: ${JSON.stringify(summary)},
      input: z.object({ orderId: z.string().describe('as in the mail') }),
      idempotency: read(),
    });
    const cancelOrder = defineTool({
      ...shared,
      name: 'cancel_order',
      summary: 'Cancel an order.',
      input: z.object({ orderId: z.string() }),
      idempotency: {
        class: 'idempotent-write', sentAs: { header: 'Idempotency-Key' }, serverKeepsKeyFor: '7d',
      },
    });
    export default defineRegistry({
      name: 'order-desk', tools: [getOrder, cancelOrder], resourceGroups: { 'orders-db': {} },
    });
  `;
}
