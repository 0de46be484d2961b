import { describe, expect, it } from 'vitest';
import { draftRegistry } from './registry-source.js';
import { draftForServer } from './server-draft.js';

describe('a draft', () => {
  it('says what can be known, and leaves the rest to a person', () => {
    const { source, left } = draftForServer('files', [
      {
        name: 'read_file',
        description: 'Reads.\nAlways.',
        inputSchema: {
          type: 'object',
          properties: { path: { type: 'string' } },
          required: ['path'],
        },
        annotations: { readOnlyHint: true, destructiveHint: true },
      },
    ]);
    expect(left).toEqual([]);
    expect(source).toBe(`// A draft, from "the MCP server files"
// Each TODO is for a person to decide; tool-registry check fails until none is left.
import { defineRegistry, defineTool } from '@holdfast/tool-registry';
import { z } from 'zod';

// It says of itself: "Reads.\\nAlways."
// It claims that it only reads. If so: idempotency: { class: 'read' }, and no compensation.
export const readFile = defineTool({
  name: 'read_file',
  summary: 'TODO: say what it does, in your own words',
  input: z.object({
    path: z.string(),
  }),
  idempotency: { class: 'irreversible' },
  compensation: {
    tool: 'none',
    avoidBy: 'confirm',
    reason: 'TODO: does it only read, does its server know a repeated key, can it be undone?',
  },
  resourceGroup: 'TODO',
  owner: 'TODO',
});

export default defineRegistry({
  name: 'files',
  tools: [
    readFile,
  ],
  resourceGroups: { TODO: {} },
});
`);
  });

  it('believes no claim: whatever a tool says of itself, its class is the one that allows least', () => {
    const classes = [{ readOnlyHint: true }, { idempotentHint: true }, {}].map(
      (annotations) =>
        /class: '.*'/.exec(
          draftForServer('s', [{ name: 'a', annotations }]).source.replaceAll(/\/\/.*/g, ''),
        )?.[0],
    );
    expect(classes).toEqual(Array(3).fill("class: 'irreversible'"));
  });

  it('has a constant of its own for each tool', () => {
    const names = ['delete', 'Get-It', 'get_it', '7zip', 'z', '_', 'getIt'];
    const { source, left } = draftRegistry({
      name: 's',
      from: 's',
      isForeign: true,
      tools: names.map((name) => ({ name })),
    });
    expect([...source.matchAll(/export const (\w+)/g)].map(([, constant]) => constant)).toEqual([
      'delete2',
      'getIt',
      'getIt2',
      'tool7zip',
      'z2',
      'tool',
      'getIt3',
    ]);
    expect(left).toEqual([]);
  });

  it('leaves out what a registry cannot name, and says so', () => {
    const { source, left } = draftRegistry({
      name: 's',
      from: 's',
      isForeign: true,
      tools: [{ name: 'a.b/c\n' }, { name: 'none' }, { name: 'x'.repeat(65) }],
    });
    expect(left).toHaveLength(3);
    expect(source).toContain('stays unknown: "a.b/c\\n"');
    expect(source).toContain('tools: [],');
  });

  it("takes one's own words into the summary", () => {
    const tools = [{ name: 'a', description: "It's mine." }];
    const { source } = draftRegistry({ name: 's', from: 's', isForeign: false, tools });
    expect(source).toContain("summary: 'TODO: It\\'s mine.',");
  });
});
