import type { AnyToolEntry, Registry } from '@holdfast/tool-registry';
import {
  type LockedTools,
  pinnedDefinition,
  tellChange,
  toolChange,
} from '@holdfast/tool-registry/lock';
import { z } from 'zod';
import { isRecord } from '../message/message.js';
import type { KnownTool } from '../proxy/tool-directory.js';
import { type SchemaNode, typesOf } from '../schema/schema-node.js';

/** Where a registry and a live server do not agree. */
export interface RegistryFinding {
  readonly tool: string;
  readonly rule: 'missing' | 'extra' | 'changed' | 'arguments';
  readonly message: string;
}

/**
 * Holds a registry against the tools that a server lists: entries of tools that are not there, tools without
 * an entry, tools that are not as they were reviewed, and arguments that the entry and the server see otherwise,
 * so that calls would fail which the entry allows.
 *
 * @param reviewed the server's tools by the lock file, where there is one
 */
export function registryFindings(
  registry: Registry,
  tools: readonly KnownTool[],
  reviewed: LockedTools['tools'] | undefined,
): readonly RegistryFinding[] {
  const live = new Map(tools.map((tool) => [tool.name, tool]));
  const missing = [...registry.tools.keys()]
    .filter((name) => !live.has(name))
    .map((tool) => finding(tool, 'missing', 'the registry has it, the server does not'));
  const rest = [...live.values()].flatMap(({ name, definition }) => {
    const entry = registry.tools.get(name);
    return [
      ...(entry === undefined
        ? [finding(name, 'extra', 'the server has it, the registry does not: it is unknown')]
        : argumentFindings(entry, definition)),
      ...changes(name, definition, reviewed),
    ];
  });
  return [...missing, ...rest];
}

function finding(tool: string, rule: RegistryFinding['rule'], message: string): RegistryFinding {
  return { tool, rule, message };
}

function changes(
  name: string,
  definition: KnownTool['definition'],
  reviewed: LockedTools['tools'] | undefined,
): readonly RegistryFinding[] {
  const was = reviewed !== undefined && Object.hasOwn(reviewed, name) ? reviewed[name] : undefined;
  if (was === undefined) return [];
  const change = toolChange(name, was, pinnedDefinition(definition));
  return (change === undefined ? [] : tellChange(change)).map((line) =>
    finding(name, 'changed', line.slice(name.length + 2)),
  );
}

function argumentFindings(
  entry: AnyToolEntry,
  { inputSchema }: KnownTool['definition'],
): readonly RegistryFinding[] {
  const own = schemaOf(entry.input);
  if (own === undefined || !isRecord(inputSchema)) return [];
  const [ours, theirs] = [propertiesOf(own), propertiesOf(inputSchema)];
  const told = (message: string) => finding(entry.name, 'arguments', message);
  const isOpen = Object.keys(theirs).length === 0 || takesMore(inputSchema);
  const unknown = Object.keys(ours)
    .filter((name) => !isOpen && !Object.hasOwn(theirs, name))
    .map((name) => told(`the server does not know ${name}`));
  const required = namesIn(inputSchema.required)
    .filter((name) => !namesIn(own.required).includes(name))
    .map((name) =>
      told(
        Object.hasOwn(ours, name)
          ? `the server requires ${name}, the registry does not`
          : `the server requires ${name}, which the registry does not know`,
      ),
    );
  const types = Object.keys(ours).flatMap((name) => {
    if (!Object.hasOwn(theirs, name)) return [];
    const [is, should] = [typesOf(ours[name], own), typesOf(theirs[name], inputSchema)];
    if (is === undefined || should === undefined || meets(is, should)) return [];
    return [told(`${name} is ${is.join(' or ')}, for the server ${should.join(' or ')}`)];
  });
  return [...unknown, ...required, ...types];
}

/** Whether some value is of both. */
function meets(a: readonly string[], b: readonly string[]): boolean {
  const wide = (types: readonly string[]) =>
    types.flatMap((type) => (type === 'number' ? ['number', 'integer'] : [type]));
  return wide(a).some((type) => wide(b).includes(type));
}

function takesMore(schema: SchemaNode): boolean {
  const {
    additionalProperties,
    unevaluatedProperties,
    patternProperties,
    allOf,
    anyOf,
    oneOf,
    $ref,
  } = schema;
  const more = [patternProperties, allOf, anyOf, oneOf, $ref].some(
    (keyword) => keyword !== undefined,
  );
  return (
    more || [additionalProperties, unevaluatedProperties].some((rest) => (rest ?? false) !== false)
  );
}

function schemaOf(input: AnyToolEntry['input']): SchemaNode | undefined {
  const schema: unknown = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  return isRecord(schema) ? schema : undefined;
}

function propertiesOf({ properties }: SchemaNode): SchemaNode {
  return isRecord(properties) ? properties : {};
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
