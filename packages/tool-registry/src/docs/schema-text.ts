/** A JSON schema in a few words, for people and for models. */
import { type JsonSchema, utcPattern } from '../readable-schema.js';

type Part = JsonSchema | boolean | undefined;
type Definitions = Readonly<Record<string, Part>>;

const literal = (value: unknown) => JSON.stringify(value) ?? String(value);
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** `1 to 5 items`, `at least 1 item`; nothing without a bound. */
function range(least: number | undefined, most: number | undefined, unit = ''): string[] {
  const named = (n: number) => (unit === '' ? `${n}` : `${n} ${unit}${n === 1 ? '' : 's'}`);
  if (least !== undefined && most !== undefined) {
    return [least === most ? named(most) : `${least} to ${named(most)}`];
  }
  if (least !== undefined) return [`at least ${named(least)}`];
  return most === undefined ? [] : [`at most ${named(most)}`];
}

/** What zod calls a format and is a check that its pattern tells. */
const isCheck = new Set([
  'starts_with',
  'ends_with',
  'includes',
  'regex',
  'lowercase',
  'uppercase',
]);

function stringText(schema: JsonSchema): string {
  const { format, pattern, allOf = [], minLength, maxLength } = schema;
  const length = range(minLength, maxLength, 'character');
  if (format === 'date-time' && pattern === utcPattern) return 'date-time in UTC, ending in Z';
  // The pattern of a format says in a hundred letters what its name says in one word.
  if (format !== undefined && !isCheck.has(format)) return [format, ...length].join(', ');
  const patterns = [pattern, ...allOf.map((part) => typeof part === 'object' && part.pattern)];
  const matching = patterns.filter((one) => typeof one === 'string').join(' and ');
  return [matching === '' ? 'string' : `string matching ${matching}`, ...length].join(', ');
}

function numberText(schema: JsonSchema): string {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  return [
    type === 'integer' ? 'integer' : 'number',
    ...range(minimum, maximum),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...(exclusiveMaximum === undefined ? [] : [`below ${exclusiveMaximum}`]),
    ...(multipleOf === undefined ? [] : [`a multiple of ${multipleOf}`]),
  ].join(', ');
}

function listText(schema: JsonSchema, text: (part: Part) => string): string {
  const { prefixItems, items, minItems, maxItems } = schema;
  if (prefixItems !== undefined) return `[${prefixItems.map((part) => text(part)).join(', ')}]`;
  const item = Array.isArray(items) ? 'any value' : text(items);
  const many = item.includes(' | ') || item.includes(', ') ? `(${item})` : item;
  return [`list of ${many}`, ...range(minItems, maxItems, 'item')].join(', ');
}

function objectText(schema: JsonSchema, text: (part: Part) => string): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const fields = Object.entries(properties).map(([name, part]) => {
    const hint = typeof part === 'object' && part.description !== undefined ? part.description : '';
    const told = hint === '' ? '' : ` (${oneLine(hint)})`;
    return `${name}${required.includes(name) ? '' : '?'}: ${text(part)}${told}`;
  });
  if (additionalProperties !== undefined && additionalProperties !== false) {
    fields.push(`[name]: ${text(additionalProperties)}`);
  }
  return fields.length === 0 ? '{}' : `{ ${fields.join('; ')} }`;
}

function typeText(schema: JsonSchema, text: (part: Part) => string): string {
  const { type } = schema;
  if (Array.isArray(type)) return type.map((one) => text({ ...schema, type: one })).join(' | ');
  switch (type) {
    case 'string':
      return stringText(schema);
    case 'number':
    case 'integer':
      return numberText(schema);
    case 'array':
      return listText(schema, text);
    case 'object':
      return objectText(schema, text);
    case 'boolean':
    case 'null':
      return type;
    default:
      return 'any value';
  }
}

/**
 * What a schema takes, on one line.
 *
 * @param definitions where its `$ref`s point: the `$defs` of the whole schema
 * @example schemaText({ type: 'string', maxLength: 200 }) // 'string, at most 200 characters'
 */
export function schemaText(
  schema: Part,
  definitions: Definitions = {},
  within: readonly string[] = [],
): string {
  if (schema === undefined || schema === true) return 'any value';
  if (schema === false) return 'nothing';
  const text = (part: Part) => schemaText(part, definitions, within);
  if (schema.$ref !== undefined) {
    if (schema.$ref === '#' || within.includes(schema.$ref)) return 'the same again';
    const name = schema.$ref.replace('#/$defs/', '');
    return schemaText(definitions[name], definitions, [...within, schema.$ref]);
  }
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return options.map(text).join(' | ');
  if (schema.allOf !== undefined && schema.type === undefined) {
    return schema.allOf.map(text).join(' & ');
  }
  return typeText(schema, text);
}
