import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Project, registrySource } from './project.fixture.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let project: Project;
beforeAll(async () => {
  project = await Project.create();
});
afterAll(() => project.delete());
beforeEach(() => project.empty('src'));

const check = (...args: readonly string[]) => project.run(['check', ...args], 'src');

/** A file that only Node.js understands, in the given form of modules. */
const plain = (form: 'esm' | 'cjs', exported: string) => `
  ${
    form === 'esm'
      ? "import { defineRegistry, defineTool, read } from '@holdfast/tool-registry'; import { z } from 'zod';"
      : "const { defineRegistry, defineTool, read } = require('@holdfast/tool-registry'); const { z } = require('zod');"
  }
  const tool = defineTool({
    name: 'get_x', summary: 's', input: z.object({}), idempotency: read(), resourceGroup: 'g', owner: 'o',
  });
  const registry = defineRegistry({ name: 'x', tools: [tool], resourceGroups: { g: {} } });
  ${exported}
`;

describe('tool-registry check', () => {
  it('finds the registry files below, runs TypeScript as it is, and is content', async () => {
    await project.write('src/tools.registry.ts', registrySource());
    for (const closed of ['node_modules/a', 'dist', '.hidden']) {
      await project.write(`src/${closed}/broken.registry.ts`, 'throw new Error()');
    }
    await project.write('src/tools.registry.d.ts', 'broken');
    expect(await check()).toEqual({
      code: 0,
      stdout: '2 tools in 1 file: 0 errors, 0 warnings\n',
      stderr: '',
    });
  });

  it('warns without failing, and fails when it is strict', async () => {
    await project.write('src/tools.registry.ts', registrySource('Like get_ordr, but better.'));
    const { code, stdout } = await check();
    expect(stdout).toBe(
      "tools.registry.ts: get_order: warning unknown-mentions: summary: it mentions 'get_ordr', which is no tool here. Fix: did you mean 'get_order'?\n" +
        '2 tools in 1 file: 0 errors, 1 warning\n',
    );
    expect(code).toBe(0);
    expect((await check('--strict')).code).toBe(1);
  });

  it('prints what a declaration lacks, one line each, and fails', async () => {
    await project.write('src/tools.registry.ts', registrySource(''));
    await project.write(
      'src/more.registry.ts',
      registrySource().replace("{ 'orders-db': {} }", "{ 'orders-bd': {} }"),
    );
    const { code, stdout, stderr } = await check();
    expect(stdout.split('\n')).toEqual([
      "more.registry.ts: get_order: error undeclared-resource-groups: resourceGroup: 'orders-db' is not declared in resourceGroups. Fix: did you mean 'orders-bd'?",
      "more.registry.ts: cancel_order: error undeclared-resource-groups: resourceGroup: 'orders-db' is not declared in resourceGroups. Fix: did you mean 'orders-bd'?",
      'more.registry.ts: error unused-resource-groups: resourceGroups.orders-bd: no tool uses it. Fix: remove it, or name it as the resourceGroup of a tool',
      `tools.registry.ts: get_order: error declaration: summary: "" is not a text with content. Fix: give a text, such as 'Look up one order by its id.'`,
      '0 tools in 2 files: 4 errors, 0 warnings',
      '',
    ]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  });

  it('prints JSON, and annotations for GitHub relative to its workspace', async () => {
    await project.write('src/a,b.registry.ts', registrySource('50% of `find_order`'));
    const json: unknown = JSON.parse((await check('--format', 'json')).stdout);
    expect(json).toEqual({
      files: [
        {
          file: 'a,b.registry.ts',
          findings: [
            {
              severity: 'warning',
              rule: 'unknown-mentions',
              tool: 'get_order',
              field: 'tools.get_order.summary',
              reason: "it mentions 'find_order', which is no tool here",
              fix: 'name a registered tool',
            },
          ],
          tools: 2,
        },
      ],
      errors: 0,
      warnings: 1,
    });
    const line =
      "::warning file=a%2Cb.registry.ts,title=unknown-mentions::get_order: summary: it mentions 'find_order', which is no tool here. Fix: name a registered tool\n";
    expect((await check('--format', 'github')).stdout).toBe(line);
    const { stdout } = await project.run(['check', '--format', 'github', 'src'], '.', {
      GITHUB_WORKSPACE: project.path('..'),
    });
    expect(stdout).toMatch(
      /^::warning file=holdfast-tool-registry-[^/]+\/src\/a%2Cb\.registry\.ts,/,
    );
  });

  it('reads every form of module, and a registry exported in any way', async () => {
    const files = {
      'a.registry.mjs': plain('esm', 'export { registry };'),
      'b.registry.cjs': plain('cjs', 'module.exports = registry;'),
      'c.registry.cjs': plain('cjs', 'exports.registry = registry;'),
      'd.registry.cts': plain('esm', 'export = registry;'),
      'e.registry.mts': plain('esm', 'export default await Promise.resolve(registry);'),
      'f.registry.js': plain('esm', 'export default registry;'),
    };
    for (const [file, text] of Object.entries(files)) await project.write(`src/${file}`, text);
    expect((await check()).stdout).toBe('6 tools in 6 files: 0 errors, 0 warnings\n');
  });

  it('reads TypeScript in a project of CommonJS modules, with imports by path and by alias', async () => {
    await project.write('src/package.json', '{ "type": "commonjs" }');
    await project.write(
      'src/tsconfig.json',
      '{ "compilerOptions": { "paths": { "@/*": ["./lib/*"] } } } // as TypeScript allows',
    );
    await project.write('src/lib/owner.ts', "export const owner: string = 'o';");
    await project.write('src/lib/shared.ts', "export { owner } from './owner.js';");
    await project.write(
      'src/tools.registry.ts',
      `import { owner } from '@/shared';\n${registrySource().replace("owner: 'orders@team'", 'owner')}`,
    );
    expect((await check()).stdout).toBe('2 tools in 1 file: 0 errors, 0 warnings\n');
  });

  it('does without a tsconfig.json that cannot be read', async () => {
    await project.write('src/tsconfig.json', '{ "extends": "./gone.json" }');
    await project.write('src/tools.registry.ts', registrySource());
    expect((await check()).stdout).toBe('2 tools in 1 file: 0 errors, 0 warnings\n');
  });

  it('keeps what a file prints apart from its own answer, and ends though a file stays busy', async () => {
    const busy = "console.log('noise'); setInterval(() => {}, 1_000);";
    await project.write('src/tools.registry.ts', `${registrySource()}\n${busy}`);
    const { stdout, stderr } = await check('--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ errors: 0 });
    expect(stderr).toBe('noise\n');
  });

  it('says in one line each why files cannot be read, and checks the others', async () => {
    const two = 'defineRegistry({ name: "y", tools: [tool], resourceGroups: { g: {} } })';
    const files = [
      'export const x: = 5',
      "import './gone.js'",
      "throw new Error('no luck\\n at all')",
      'throw null',
      '',
      'void Promise.reject(new Error("left alone")); await new Promise((r) => setImmediate(r));',
      plain('esm', `export const a = registry, b = ${two};`),
      registrySource(),
    ];
    for (const [i, text] of files.entries()) await project.write(`src/${i}.registry.ts`, text);
    const { code, stdout, stderr } = await check();
    expect(stdout.replaceAll(project.path('.'), '').split('\n')).toEqual([
      '0.registry.ts: unreadable: ParseError: Unexpected token /src/0.registry.ts:1:16',
      "1.registry.ts: unreadable: Cannot find module './gone.js', imported by /src/1.registry.ts",
      '2.registry.ts: unreadable: no luck at all',
      '3.registry.ts: unreadable: null was thrown',
      '4.registry.ts: unreadable: it exports no registry; write export default defineRegistry({ … })',
      '5.registry.ts: unreadable: left alone',
      "6.registry.ts: unreadable: it exports several registries ('x', 'y') and none by default; write export default defineRegistry({ … })",
      '2 tools in 8 files: 0 errors, 0 warnings',
      '',
    ]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
  });

  it.each(['process.exit(0)', 'await new Promise(() => {})'])(
    'is not fooled by a file that ends the program: %s',
    async (text) => {
      await project.write('src/a.registry.ts', text);
      const { code, stdout, stderr } = await check();
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(
        /a\.registry\.ts: it ended the program, or never finished loading\.\n/,
      );
    },
  );

  it('needs a file', async () => {
    await project.write('src/other.ts', '');
    expect(await check()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^There is no \*\.registry\.ts .* in this folder or below\./),
    });
    expect(await check('gone.ts')).toMatchObject({
      code: 2,
      stderr: 'There is no file gone.ts.\n',
    });
  });
});

describe('tool-registry', () => {
  it('tells its version, how it is used, and what it cannot follow', async () => {
    expect((await project.run(['--version'])).stdout).toMatch(/^tool-registry\/\d+\.\d+\.\d+ /);
    const { code, stdout } = await project.run(['check', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('--strict');
    expect(stdout).toContain('Exit code:');
    expect(await project.run(['check', '--loud'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Unknown option `--loud`. See tool-registry --help.\n',
    });
  });
});
