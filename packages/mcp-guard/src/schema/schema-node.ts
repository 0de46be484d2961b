import { isRecord } from '../message/message.js';

/** A JSON schema, or a part of one, as a server wrote it. */
export type SchemaNode = Readonly<Record<string, unknown>>;

/** Keywords whose schemas all hold for the same value. */
const TOGETHER = ['allOf', 'anyOf', 'oneOf'] as const;
const CONDITIONAL = ['then', 'else'] as const;

/** The schema that a reference within the same document leads to; undefined where it leads nowhere. */
function referred(root: SchemaNode, reference: unknown): SchemaNode | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  let node: unknown = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined;
    node = Reflect.get(node, name);
  }
  // A reference by an anchor's name is followed by the validator alone.
  return (reference === '#' || reference.startsWith('#/')) && isRecord(node) ? node : undefined;
}

/**
 * All schemas that say something about the same value: themselves, what they refer to, and their
 * alternatives. Undefined where one of them cannot be found.
 */
export function applying(
  given: readonly unknown[],
  root: SchemaNode,
): readonly SchemaNode[] | undefined {
  const found = new Set<SchemaNode>();
  const open = [...given];
  while (open.length > 0) {
    const node = open.pop();
    // `true` and `false` name nothing.
    if (!isRecord(node) || found.has(node)) continue;
    found.add(node);
    if (node.$ref !== undefined) {
      const target = referred(root, node.$ref);
      if (target === undefined) return undefined;
      open.push(target);
    }
    if (node.$dynamicRef !== undefined || node.$recursiveRef !== undefined) return undefined;
    for (const keyword of TOGETHER) {
      const alternatives = node[keyword];
      if (Array.isArray(alternatives)) open.push(...alternatives);
    }
    for (const keyword of CONDITIONAL) open.push(node[keyword]);
    if (isRecord(node.dependentSchemas)) open.push(...Object.values(node.dependentSchemas));
  }
  return [...found];
}

/** The JSON types that a schema takes; undefined where it does not say. */
export function typesOf(schema: unknown, root: SchemaNode): readonly string[] | undefined {
  if (!isRecord(schema)) return undefined;
  const { type, $ref } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === 'string');
  if ('const' in schema) return [jsonType(schema.const)];
  if (Array.isArray(schema.enum)) return [...new Set(schema.enum.map(jsonType))];
  // A reference of a reference is as rare as it is unclear.
  const target = referred(root, $ref);
  return target === undefined || target.$ref !== undefined ? undefined : typesOf(target, root);
}

export function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
