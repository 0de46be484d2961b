import { z } from 'zod';
import { checkRegistry, defineRegistry, defineTool } from '../index.js';
import type { AnyToolEntry } from '../tool-entry.js';

/** What the tests of single rules declare when the rule does not care. */
export const base = {
  summary: 'Does something.',
  input: z.object({ id: z.string(), note: z.string() }),
  resourceGroup: 'db',
  owner: 'o',
} as const;
export const write = {
  ...base,
  idempotency: { class: 'idempotent-write', sentAs: { header: 'Key' }, serverKeepsKeyFor: '7d' },
} as const;
export const helper = defineTool({ ...base, name: 'find_row', idempotency: { class: 'read' } });

/** What one rule finds in a registry of these tools. */
export function findingsOf(rule: string, ...tools: readonly AnyToolEntry[]): readonly string[] {
  const registry = defineRegistry({ name: 'desk', tools, resourceGroups: { db: {} } });
  return checkRegistry(registry)
    .filter((finding) => finding.rule === rule)
    .map(({ field, reason, fix }) => `${field}: ${reason}. ${fix}`);
}
