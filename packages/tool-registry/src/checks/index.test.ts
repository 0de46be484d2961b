import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type AnyToolEntry,
  checkRegistry,
  defineRegistry,
  defineTool,
  isSetupError,
  type ResourceGroup,
  read,
} from '../index.js';
import { registryRules } from './index.js';

const shared = {
  summary: 's',
  input: z.object({ id: z.string() }),
  resourceGroup: 'db',
  owner: 'o',
};
const toRead = (name: string, resourceGroup = 'db') =>
  defineTool({ ...shared, name, resourceGroup, idempotency: read() });
const helper = toRead('find_row');
function toWrite(name: string, undoneBy: string): AnyToolEntry {
  return defineTool({
    ...shared,
    name,
    idempotency: { class: 'idempotent-write', sentAs: { header: 'Key' }, serverKeepsKeyFor: '1d' },
    compensation: {
      tool: undoneBy,
      strength: 'strong',
      within: '1h',
      args: ({ args }) => ({ id: args.id }),
    },
  });
}
const irreversible = defineTool({
  ...shared,
  name: 'shred',
  idempotency: { class: 'irreversible' },
  capture: { tool: helper, args: ({ args }) => args },
  probe: {
    tool: helper,
    args: ({ args }) => args,
    answer: (row) => ({ found: 'one', evidence: row }),
  },
  compensation: { tool: 'none', avoidBy: 'accept', reason: 'paper is gone' },
});

function findings(
  tools: readonly AnyToolEntry[],
  resourceGroups: Record<string, ResourceGroup> = { db: {} },
) {
  try {
    defineRegistry({ name: 'desk', tools, resourceGroups });
    return [];
  } catch (error) {
    if (!isSetupError(error, 'registry_invalid')) throw error;
    return error.problems.map(({ field, reason, fix }) => `${field}: ${reason}. ${fix}`);
  }
}

const warnings = (tools: readonly AnyToolEntry[]) =>
  checkRegistry(defineRegistry({ name: 'desk', tools, resourceGroups: { db: {} } }));

describe('the rules of a registry', () => {
  it('have names of their own', () => {
    expect(new Set(registryRules.map((rule) => rule.name)).size).toBe(registryRules.length);
  });

  it('find nothing in a sound collection', () => {
    expect(findings([helper, irreversible])).toEqual([]);
    expect(findings([])).toEqual([
      'resourceGroups.db: no tool uses it. remove it, or name it as the resourceGroup of a tool',
    ]);
  });

  it('let a tool undo itself, and two undo each other', () => {
    expect(findings([toWrite('set_title', 'set_title')])).toEqual([]);
    expect(findings([toWrite('lock', 'release'), toWrite('release', 'lock')])).toEqual([]);
  });

  it('refuse two tools of one name', () => {
    expect(findings([toRead('find_row'), helper])).toEqual([
      'tools.find_row.name: it is the name of tools[0] and of tools[1]. rename or remove one of the two',
    ]);
  });

  it('refuse names that differ by case alone, and warn of those that differ by one character', () => {
    const fix = 'rename one of the two so that they cannot be mistaken for each other';
    expect(findings([helper, toRead('Find_row')])).toEqual([
      `tools.Find_row.name: it differs from find_row by case alone. ${fix}`,
    ]);
    expect(findings([helper, toRead('find_rows')])).toEqual([]);
    expect(warnings([helper, toRead('find_rows')])).toEqual([
      {
        severity: 'warning',
        rule: 'similar-names',
        tool: 'find_rows',
        field: 'tools.find_rows.name',
        reason: 'it differs from find_row by one character',
        fix,
      },
    ]);
    expect(warnings([helper, toRead('find_roads')])).toEqual([]);
  });

  it('refuse a compensation by a tool that is missing, a read or irreversible', () => {
    const field = 'tools.set_title.compensation.tool';
    expect(findings([toWrite('set_title', 'unset_title')])).toEqual([
      `${field}: no tool is named 'unset_title'. did you mean 'set_title'?`,
    ]);
    expect(findings([toWrite('set_title', 'gone')])).toEqual([
      `${field}: no tool is named 'gone'. add it to the tools`,
    ]);
    expect(findings([toWrite('set_title', 'find_row'), helper])).toEqual([
      `${field}: 'find_row' is a read and undoes nothing. name an idempotent-write`,
    ]);
    expect(findings([toWrite('set_title', 'shred'), helper, irreversible])).toEqual([
      `${field}: 'shred' is irreversible, so an undo that fails half-way could not be repeated. name an idempotent-write`,
    ]);
  });

  it('refuse a capture or probe whose read is not in the registry', () => {
    const missing = "'find_row' is not in the registry. add this entry to the tools";
    expect(findings([irreversible])).toEqual([
      `tools.shred.capture.tool: ${missing}`,
      `tools.shred.probe.tool: ${missing}`,
    ]);
    const other = defineTool({
      ...shared,
      name: 'find_row',
      version: '2.0.0',
      idempotency: read(),
    });
    const changed = "the registry has another tool named 'find_row'. add this entry to the tools";
    expect(findings([irreversible, other])).toEqual([
      `tools.shred.capture.tool: ${changed}`,
      `tools.shred.probe.tool: ${changed}`,
    ]);
  });

  it('refuse a resource group that is used but not declared, or declared but not used', () => {
    expect(findings([toRead('find_row', 'mail')], { mails: {} })).toEqual([
      "tools.find_row.resourceGroup: 'mail' is not declared in resourceGroups. did you mean 'mails'?",
      'resourceGroups.mails: no tool uses it. remove it, or name it as the resourceGroup of a tool',
    ]);
    expect(findings([toRead('find_row', 'constructor')], {})).toEqual([
      "tools.find_row.resourceGroup: 'constructor' is not declared in resourceGroups. add 'constructor' to resourceGroups",
    ]);
  });
});
