import { contractOf } from '../contract-digest.js';
import { readerTexts } from '../reader-texts.js';
import type { Registry } from '../registry.js';
import type { LockedTools } from './lock-file.js';

/** What of a tool's definition a model goes by, or a caller. Icons and what a vendor adds are neither. */
const PINNED = [
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
] as const;

/** What a registry promises: each contract, and the texts that a model reads. */
export function lockedRegistry(registry: Registry): LockedTools {
  const tools = [...registry.tools.values()].map((entry) => {
    const at = `tools.${entry.name}.`;
    const texts = readerTexts(entry).map(({ field, text }) => [field.replace(at, ''), text]);
    const contract = { ...contractOf(entry), texts: Object.fromEntries(texts) };
    return [entry.name, jsonOf(contract)] as const;
  });
  return { name: registry.name, tools: Object.fromEntries(tools) };
}

/** What a live server lists. Of tools with one name the first counts, as it does for a call. */
export function lockedServer(
  name: string,
  definitions: readonly Readonly<Record<string, unknown>>[],
): LockedTools {
  const tools = new Map<string, unknown>();
  for (const definition of definitions) {
    const tool = String(definition.name);
    if (!tools.has(tool)) tools.set(tool, pinnedDefinition(definition));
  }
  return { name, tools: Object.fromEntries(tools) };
}

/** What of a live tool's definition is pinned. */
export function pinnedDefinition(
  definition: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    PINNED.flatMap((name) =>
      definition[name] === undefined ? [] : [[name, inOrder(definition[name])]],
    ),
  );
}

/** The order of required names says nothing, and some servers have another one each time they start. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]: [string, unknown]) => [
      name,
      name === 'required' && isListOfNames(part) ? [...part].sort() : inOrder(part),
    ]),
  );
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/** As it is read back from a file. */
function jsonOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
