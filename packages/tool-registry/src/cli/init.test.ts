import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Project } from './project.fixture.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let project: Project;
beforeAll(async () => {
  project = await Project.create();
});
afterAll(() => project.delete());
beforeEach(() => project.empty('src'));

const run = (...args: readonly string[]) => project.run(args, 'src');

/** What a person does with a draft. */
const decided = (source: string) =>
  source
    .replace(/TODO: say what it does[^']*/g, 'Look something up.')
    .replace(/TODO: does it only read[^']*/g, 'Nobody minds.')
    .replaceAll('TODO', 'desk');

const server = (tools: readonly object[]) => `
  import { createInterface } from 'node:readline';
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    const result = method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'looker', version: '1' } }
      : { tools: ${JSON.stringify(tools)} };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }
`;

describe('tool-registry init', () => {
  it('drafts a registry for a live server, which check refuses until a person has decided', async () => {
    await project.install('@modelcontextprotocol/sdk');
    const hostile = `*/ '); process.exit(7); ('`;
    const tools = [
      {
        name: 'look',
        description: `Look.\n${hostile}`,
        inputSchema: {
          type: 'object',
          properties: {
            [hostile]: { const: hostile, description: hostile },
            id: { type: 'string' },
          },
          required: ['id'],
        },
      },
      { name: 'a/b', inputSchema: { type: 'object' } },
    ];
    await project.write('src/server.mjs', server(tools));
    expect(await run('init', '--mcp', 'node server.mjs')).toEqual({
      code: 0,
      stdout: '',
      stderr: `"a/b" is left out: a registry cannot have that name.
tools.registry.ts is written. Decide each TODO, then: tool-registry check tools.registry.ts
`,
    });
    const drafted = await run('check');
    expect(drafted.code).toBe(1);
    expect(drafted.stdout.match(/undecided/g)).toHaveLength(4);
    const draft = await project.read('src/tools.registry.ts');
    await project.write('src/tools.registry.ts', decided(draft));
    expect(await run('check')).toMatchObject({
      code: 0,
      stdout: '1 tool in 1 file: 0 errors, 0 warnings\n',
    });
    // What a person has decided is not written over.
    expect(await run('init', '--mcp', 'node server.mjs')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('tools.registry.ts is there already'),
    });
  });

  it('drafts a registry for the LangChain tools that a file exports', async () => {
    await project.write(
      'src/tools.ts',
      `import { z } from 'zod';
       const make = (name: string, schema: unknown) =>
         ({ name, description: 'Look it up.', schema, invoke: async () => 'x' });
       export const look = make('look', z.object({ id: z.string().describe('as in the mail') }));
       export const more = [look, make('find', { type: 'object', properties: { n: { type: 'integer' } } })];
       export const old = make('old', { _def: {} });`,
    );
    expect(await run('init', '--langchain', 'tools.ts', '--out', 'my.registry.ts')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^my\.registry\.ts is written\./),
    });
    const draft = await project.read('src/my.registry.ts');
    expect(draft).toContain("id: z.string().describe('as in the mail'),");
    expect(draft).toContain('n: z.int()');
    expect(draft).toContain('// Its schema cannot be read here: write it anew.');
    expect(draft.match(/defineTool\(/g)).toHaveLength(3);
    expect(draft).toContain("summary: 'TODO: Look it up.',");
    expect((await run('check')).code).toBe(1);
  });

  it('says what is wrong with a file', async () => {
    await project.write('src/none.ts', 'export const x = 1;');
    await project.write('src/broken.ts', 'throw new Error("broken")');
    for (const [file, why] of [
      ['none.ts', 'it exports no LangChain tool'],
      ['broken.ts', 'broken'],
    ] as const) {
      expect(await run('init', '--langchain', file)).toEqual({
        code: 2,
        stdout: '',
        stderr: `${file}: ${why}\n`,
      });
    }
  });
});
