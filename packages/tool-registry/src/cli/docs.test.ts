import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Project, registrySource } from './project.fixture.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let project: Project;
beforeAll(async () => {
  project = await Project.create();
});
afterAll(() => project.delete());
beforeEach(async () => {
  await project.empty('src');
  await project.write('src/tools.registry.ts', registrySource());
});

const docs = (...args: readonly string[]) => project.run(['docs', ...args], 'src');

describe('tool-registry docs', () => {
  it('prints the docs of the registry that is there, in the form that is asked for', async () => {
    const { stdout } = await docs();
    expect(stdout).toMatch(/^# Tools of order-desk\n/);
    expect(stdout).toContain('- `orderId` (`string`): as in the mail\n');
    expect(JSON.parse((await docs('tools.registry.ts', '--as', 'mcp')).stdout)).toMatchObject({
      tools: [{ name: 'get_order' }, { name: 'cancel_order' }],
    });
  });

  it('writes a file, and finds it as it should be until the registry changes', async () => {
    const same = { code: 0, stdout: '', stderr: '' };
    expect(await docs('--out', 'TOOLS.md')).toEqual({ ...same, stderr: 'TOOLS.md is written.\n' });
    expect(await project.read('src/TOOLS.md')).toBe((await docs()).stdout);
    expect(await docs('--out', 'TOOLS.md', '--check')).toEqual(same);
    expect(await docs('--out', 'TOOLS.md')).toEqual({
      ...same,
      stderr: 'TOOLS.md is as it should be.\n',
    });

    await project.write('src/tools.registry.ts', registrySource('Look up an order.'));
    expect(await docs('--out', 'TOOLS.md', '--check')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'TOOLS.md is stale, from line 7\n- Look up one order by its id.\n+ Look up an order.\n' +
        'Write it: the same command without --check.\n',
    });
  });

  it('does not mind the line breaks of another system, and misses a file', async () => {
    expect(await docs('--out', 'TOOLS.md', '--check')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'TOOLS.md is missing. Write it: the same command without --check.\n',
    });
    const { stdout } = await docs();
    await project.write('src/TOOLS.md', stdout.replaceAll('\n', '\r\n'));
    expect((await docs('--out', 'TOOLS.md', '--check')).code).toBe(0);
  });

  it('estimates tokens, and counts them where js-tiktoken is installed', async () => {
    const estimated = await docs('--stats', '--as', 'prompt');
    expect(estimated.stdout).toMatch(
      /^get_order +\d+\ncancel_order +\d+\ntotal +\d+\ntokens estimated: .* install js-tiktoken to count\n$/,
    );
    await project.install('js-tiktoken');
    const counted: unknown = JSON.parse((await docs('--stats', '--json')).stdout);
    expect(counted).toMatchObject({ method: 'o200k_base', tools: [{}, {}] });
    expect((await docs('--stats', '--out', 'TOOLS.md')).stdout).toMatch(/^get_order/);
    expect(await project.read('src/TOOLS.md')).toMatch(/^# Tools of order-desk/);
  });

  it('writes over no registry, and says where it cannot write', async () => {
    expect(await docs('--out', 'tools.registry.ts')).toEqual({
      code: 2,
      stdout: '',
      stderr: '--out tools.registry.ts is the registry itself. Name another file.\n',
    });
    await project.link('src/tools.registry.ts', 'src/TOOLS.md');
    expect((await docs('--out', 'TOOLS.md')).stderr).toBe(
      '--out TOOLS.md is the registry itself. Name another file.\n',
    );
    expect(await project.read('src/tools.registry.ts')).toBe(registrySource());
    expect(await docs('--out', 'gone/TOOLS.md')).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^--out gone\/TOOLS\.md: ENOENT: no such file or directory/),
    });
  });

  it('needs one registry that can be read', async () => {
    await project.write('src/a.registry.ts', registrySource(''));
    expect((await docs()).stderr).toBe(
      'Which one? There are several: a.registry.ts, tools.registry.ts.\n',
    );
    expect(await docs('a.registry.ts')).toEqual({
      code: 2,
      stdout: '',
      stderr: `a.registry.ts: tools.get_order.summary: "" is not a text with content. Fix: give a text, such as 'Look up one order by its id.'\n`,
    });
    await project.write('src/a.registry.ts', 'export default 1');
    expect((await docs('a.registry.ts')).stderr).toMatch(
      /^a\.registry\.ts: it exports no registry;/,
    );
  });
});
