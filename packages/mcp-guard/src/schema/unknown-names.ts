import { type ArgumentProblem, unknownArgument } from '@holdfast/call-guard';
import { isRecord } from '../message/message.js';
import { applying, type SchemaNode } from './schema-node.js';

/** Keywords by which a schema says itself what becomes of names that it does not list. */
const OWN_RULES = ['additionalProperties', 'unevaluatedProperties'] as const;

const NONE: readonly ArgumentProblem[] = [];

/**
 * Finds the members of a value, at any depth, that its schema neither lists nor forbids: whoever reads the value
 * by the schema drops them without a word. What a schema allows by a pattern or by `additionalProperties` is
 * known. Where a schema lists no names at all, all are.
 */
export function unknownNames(schema: SchemaNode): (value: unknown) => readonly ArgumentProblem[] {
  const nodes = applying([schema], schema);
  if (nodes === undefined) return () => NONE;
  const known = new Set(namesIn(nodes));
  const isOpen = allowsOthers(nodes, known.size);
  return (value) =>
    isFlat(value, isOpen ? undefined : known) ? NONE : below([schema], value, [], schema);
}

/**
 * Most arguments are plain values under names that are known: nothing is below them.
 *
 * @param known absent where any name is
 */
function isFlat(value: unknown, known: ReadonlySet<string> | undefined): boolean {
  if (!isRecord(value)) return false;
  for (const name of Object.keys(value)) {
    if (known?.has(name) === false) return false;
    const inner = value[name];
    if (typeof inner === 'object' && inner !== null) return false;
  }
  return true;
}

function namesIn(nodes: readonly SchemaNode[]): readonly string[] {
  return nodes.flatMap((node) => Object.keys(propertiesOf(node)));
}

/** @param known how many names are listed */
function allowsOthers(nodes: readonly SchemaNode[], known: number): boolean {
  return known === 0 || nodes.some((node) => OWN_RULES.some((rule) => rule in node));
}

function below(
  schemas: readonly unknown[],
  value: unknown,
  path: readonly PropertyKey[],
  root: SchemaNode,
): readonly ArgumentProblem[] {
  if (typeof value !== 'object' || value === null) return [];
  const nodes = applying(schemas, root);
  if (nodes === undefined) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      below(itemsOf(nodes, index), item, [...path, index], root),
    );
  }
  const known = namesIn(nodes);
  const isOpen = allowsOthers(nodes, known.length);
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = [...path, name];
    const patterns = nodes.flatMap((node) => matching(node, name));
    if (known.includes(name) || patterns.length > 0) {
      const own = nodes.flatMap((node) => {
        const properties = propertiesOf(node);
        return Object.hasOwn(properties, name) ? [properties[name]] : [];
      });
      return below([...own, ...patterns], inner, at, root);
    }
    return isOpen ? [] : [{ path: at, message: unknownArgument(name, known) }];
  });
}

function propertiesOf({ properties }: SchemaNode): SchemaNode {
  return isRecord(properties) ? properties : {};
}

/** The schemas of the patterns that a name fits. */
function matching({ patternProperties }: SchemaNode, name: string): readonly unknown[] {
  if (!isRecord(patternProperties)) return [];
  return Object.entries(patternProperties)
    .filter(([pattern]) => fits(pattern, name))
    .map(([, schema]) => schema);
}

/** A pattern that is none forbids nothing. */
function fits(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    return true;
  }
}

function itemsOf(nodes: readonly SchemaNode[], index: number): readonly unknown[] {
  return nodes.flatMap(({ items, prefixItems }) => {
    // A list of schemas, one for each place, is what `items` was before `prefixItems`.
    const places: unknown = Array.isArray(items) ? items : prefixItems;
    const placed: unknown = Array.isArray(places) ? places[index] : undefined;
    return placed === undefined ? (Array.isArray(items) ? [] : [items]) : [placed];
  });
}
