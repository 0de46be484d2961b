import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRegistry, defineTool, isSetupError } from '../index.js';
import type { AnyToolEntry } from '../tool-entry.js';
import { base } from './one-tool.fixture.js';

function problems(change: Record<string, unknown>) {
  const tool: AnyToolEntry = defineTool({
    ...base,
    name: 'send_mail',
    idempotency: { class: 'irreversible' },
    compensation: { tool: 'none', avoidBy: 'accept', reason: 'gone' },
    ...change,
  });
  try {
    defineRegistry({ name: 'd', tools: [tool], resourceGroups: { [tool.resourceGroup]: {} } });
    return [];
  } catch (error) {
    if (!isSetupError(error, 'registry_invalid')) throw error;
    return error.problems;
  }
}

describe('what a draft leaves open', () => {
  it('is refused wherever it is marked', () => {
    const change = {
      summary: 'TODO: say what it does',
      useWhen: 'TODO',
      avoidWhen: 'when? TODO(ada)',
      input: z.object({ id: z.string().describe(' TODO '), note: z.string() }),
      examples: [{ args: { id: '1', note: '' }, note: 'TODO' }],
      compensation: { tool: 'none', avoidBy: 'accept', reason: 'TODO: why not?' },
      resourceGroup: 'TODO',
      owner: 'TODO',
    };
    expect(problems(change).map((p) => p.field)).toEqual([
      'tools.send_mail.summary',
      'tools.send_mail.useWhen',
      'tools.send_mail.avoidWhen',
      'tools.send_mail.examples[0].note',
      'tools.send_mail.compensation.reason',
      'tools.send_mail.input.id',
      'tools.send_mail.resourceGroup',
      'tools.send_mail.owner',
    ]);
    expect(problems({ owner: 'TODO' })).toEqual([
      {
        field: 'tools.send_mail.owner',
        reason: 'it is marked TODO',
        fix: 'decide it, and remove the mark',
        rule: 'undecided',
      },
    ]);
  });

  it('is not what a tool for to-do lists is about', () => {
    const input = z.object({ id: z.string().default('TODO'), note: z.enum(['TODO', 'DONE']) });
    expect(problems({ summary: 'Add a TODO to the list of TODOs.', input })).toEqual([]);
    expect(problems({ summary: 'Todo: lists.', owner: 'todo@team' })).toEqual([]);
  });
});
