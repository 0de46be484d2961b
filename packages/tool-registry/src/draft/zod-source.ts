import { isRecord } from '../record.js';
import { memberName, quoted, quotingComment } from './source-text.js';

/** A JSON schema, or a part of one. */
export type SchemaPart = Readonly<Record<string, unknown>>;

/** Keywords that say nothing about which values are taken; `format` is an annotation by the standard. */
const SILENT: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'format',
  'contentEncoding',
  'contentMediaType',
]);

/** What is written for a part, and the keywords of it that are written for. */
interface Written {
  readonly source: string;
  readonly told: readonly string[];
}

/** Where a part stands. */
interface Place {
  readonly root: SchemaPart;
  readonly indent: string;
  /** References that are being followed: one that leads into itself is left to a person. */
  readonly following: readonly string[];
  /** Whether descriptions are a stranger's words, which no model is to read unseen. */
  readonly isForeign: boolean;
}

/**
 * The source of a zod schema for the arguments of a tool. What zod source does not say is marked `TODO` in the
 * schema, for a person to decide.
 */
export function inputSource(schema: unknown, isForeign: boolean, indent: string): string {
  const root = isPart(schema) ? schema : {};
  // Arguments are always an object, said or not.
  return sourceOf({ ...root, type: 'object' }, { root, indent, following: [], isForeign });
}

function sourceOf(schema: unknown, place: Place): string {
  if (schema === false) return 'z.never()';
  if (!isPart(schema)) return 'z.unknown()';
  const { source, told } = written(schema, place);
  const left = Object.keys(schema).filter(
    (keyword) => !SILENT.has(keyword) && !told.includes(keyword),
  );
  if (left.length > 0) {
    return `${source}.describe(${quoted(`TODO: decide what it takes; its schema also says ${left.join(', ')}`)})`;
  }
  const { description } = schema;
  return place.isForeign || typeof description !== 'string'
    ? source
    : `${source}.describe(${quoted(description)})`;
}

function written(schema: SchemaPart, place: Place): Written {
  const { $ref, type, anyOf, oneOf } = schema;
  if (typeof $ref === 'string') return ofReference($ref, place);
  if ('const' in schema) return ofValues([schema.const], ['const', 'type']);
  if (Array.isArray(schema.enum)) return ofValues(schema.enum, ['enum', 'type']);
  const alternatives = Array.isArray(anyOf) ? anyOf : oneOf;
  if (Array.isArray(alternatives) && type === undefined) {
    return { source: union(alternatives, place), told: [Array.isArray(anyOf) ? 'anyOf' : 'oneOf'] };
  }
  if (Array.isArray(type)) {
    // What holds for one type is no rule for another; each takes its own.
    return {
      source: union(
        type.map((one: unknown) => ({ ...schema, type: one, description: undefined })),
        place,
      ),
      told: Object.keys(schema),
    };
  }
  switch (type ?? (isPart(schema.properties) ? 'object' : undefined)) {
    case 'string':
      return ofString(schema);
    case 'integer':
      return ofNumber('z.int()', schema);
    case 'number':
      return ofNumber('z.number()', schema);
    case 'boolean':
      return { source: 'z.boolean()', told: ['type'] };
    case 'null':
      return { source: 'z.null()', told: ['type'] };
    case 'array':
      return ofArray(schema, place);
    case 'object':
      return ofObject(schema, place);
    default:
      return { source: 'z.unknown()', told: [] };
  }
}

function ofReference(reference: string, place: Place): Written {
  const target = referred(place.root, reference);
  if (target === undefined || place.following.includes(reference)) {
    return { source: 'z.unknown()', told: [] };
  }
  const following = [...place.following, reference];
  return { source: sourceOf(target, { ...place, following }), told: ['$ref'] };
}

function ofValues(values: readonly unknown[], told: readonly string[]): Written {
  const isPlain = (value: unknown) =>
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean';
  if (values.length === 0 || !values.every(isPlain)) return { source: 'z.unknown()', told: [] };
  if (values.every((value) => typeof value === 'string')) {
    const names = values.map(quoted);
    const [only] = names;
    return {
      source: names.length === 1 ? `z.literal(${only})` : `z.enum([${names.join(', ')}])`,
      told,
    };
  }
  const literals = values.map((value) =>
    typeof value === 'string' ? quoted(value) : JSON.stringify(value),
  );
  return { source: `z.literal([${literals.join(', ')}])`, told };
}

function union(alternatives: readonly unknown[], place: Place): string {
  const isNull = (part: unknown) => isPart(part) && part.type === 'null';
  const others = alternatives.filter((part) => !isNull(part));
  const sources = others.map((part) => sourceOf(part, place));
  const [only = 'z.null()'] = sources;
  const all = sources.length > 1 ? `z.union([${sources.join(', ')}])` : only;
  return sources.length > 0 && others.length < alternatives.length ? `${all}.nullable()` : all;
}

function ofString(schema: SchemaPart): Written {
  const { pattern } = schema;
  const calls = [...bound(schema, 'minLength', 'min'), ...bound(schema, 'maxLength', 'max')];
  if (typeof pattern === 'string' && isPattern(pattern)) {
    calls.push({ keyword: 'pattern', call: `.regex(new RegExp(${quoted(pattern)}, 'u'))` });
  }
  return chained('z.string()', calls);
}

function ofNumber(source: string, schema: SchemaPart): Written {
  return chained(source, [
    ...bound(schema, 'minimum', 'min'),
    ...bound(schema, 'maximum', 'max'),
    ...bound(schema, 'exclusiveMinimum', 'gt'),
    ...bound(schema, 'exclusiveMaximum', 'lt'),
    ...bound(schema, 'multipleOf', 'multipleOf'),
  ]);
}

function ofArray(schema: SchemaPart, place: Place): Written {
  const { items } = schema;
  if (Array.isArray(items)) return { source: 'z.array(z.unknown())', told: ['type'] };
  const { source, told } = chained(`z.array(${sourceOf(items, place)})`, [
    ...bound(schema, 'minItems', 'min'),
    ...bound(schema, 'maxItems', 'max'),
  ]);
  return { source, told: [...told, 'items'] };
}

function ofObject(schema: SchemaPart, place: Place): Written {
  const { additionalProperties } = schema;
  const properties = isPart(schema.properties) ? schema.properties : {};
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const inside = `${place.indent}  `;
  const members = Object.entries(properties).flatMap(([name, part]) => {
    const source = sourceOf(part, { ...place, indent: inside });
    const optional = required.includes(name) ? '' : '.optional()';
    return [...(place.isForeign ? noteOf(part) : []), `${memberName(name)}: ${source}${optional},`];
  });
  const isOpen = additionalProperties === true || !('properties' in schema);
  const kind = additionalProperties === false ? 'strictObject' : isOpen ? 'looseObject' : 'object';
  const lines = members.map((line) => `${inside}${line}\n`).join('');
  const shape = members.length === 0 ? '{}' : `{\n${lines}${place.indent}}`;
  const rest = isPart(additionalProperties)
    ? `.catchall(${sourceOf(additionalProperties, place)})`
    : '';
  const told = ['type', 'properties', 'additionalProperties'];
  const isListed = required.every(
    (name) => typeof name === 'string' && Object.hasOwn(properties, name),
  );
  return {
    source: `z.${rest === '' ? kind : 'object'}(${shape})${rest}`,
    told: isListed ? [...told, 'required'] : told,
  };
}

/** What the server says of a member, and the value that it takes where none is given. */
function noteOf(part: unknown): readonly string[] {
  if (!isPart(part)) return [];
  const { description } = part;
  return [
    ...(typeof description === 'string' ? [quotingComment('', description)] : []),
    ...('default' in part ? [quotingComment('by default ', JSON.stringify(part.default))] : []),
  ];
}

interface Call {
  readonly keyword: string;
  readonly call: string;
}

function bound(schema: SchemaPart, keyword: string, method: string): Call[] {
  const value = schema[keyword];
  return typeof value === 'number'
    ? [{ keyword, call: `.${method}(${JSON.stringify(value)})` }]
    : [];
}

function chained(source: string, calls: readonly Call[]): Written {
  return {
    source: `${source}${calls.map(({ call }) => call).join('')}`,
    told: ['type', ...calls.map(({ keyword }) => keyword)],
  };
}

function referred(root: SchemaPart, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let part: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isPart(part) || !Object.hasOwn(part, name)) return undefined;
    part = part[name];
  }
  return part;
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== '';
  } catch {
    return false;
  }
}

function isPart(value: unknown): value is SchemaPart {
  return isRecord(value);
}
