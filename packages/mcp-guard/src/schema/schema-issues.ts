import { type ArgumentIssue, unknownArgument } from '@holdfast/call-guard';
import type { ErrorObject } from 'ajv';
import { isRecord } from '../message/message.js';
import { jsonType, type SchemaNode, typesOf } from './schema-node.js';

/** The longest list of allowed values that is told. */
const MOST_VALUES = 20;

const NONE: readonly ArgumentIssue[] = [];

/** A problem that a validator found, at its place in the value. */
interface Found {
  readonly error: ErrorObject;
  readonly path: readonly PropertyKey[];
}

/**
 * What a validator found, as it is told to who made the value: one problem for each that there is. A value
 * that fits no alternative fails all of them, and only what helps is kept of that.
 */
export function schemaIssues(
  errors: readonly ErrorObject[],
  value: unknown,
  root: SchemaNode,
): readonly ArgumentIssue[] {
  if (errors.length === 0) return NONE;
  const found: readonly Found[] = errors.map((error) => ({ error, path: pathOf(error, value) }));
  const kept = found
    .filter(({ error }) => isUnion(error))
    .reduce<readonly Found[]>((left, union) => withoutNoise(left, union, root), found)
    .filter(({ error, path }, _, all) => !isImplied(error, path, all));
  const issues = kept.map(({ error, path }) => issueOf(error, path, root));
  return issues.filter(
    (issue, index) => issues.findIndex((other) => isSame(other, issue)) === index,
  );
}

function isUnion({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

/** Which alternative was meant can only be told where a single one takes values of this type. */
function withoutNoise(
  found: readonly Found[],
  { error: union, path }: Found,
  root: SchemaNode,
): readonly Found[] {
  const own = union.schemaPath.slice(0, union.schemaPath.lastIndexOf('/') + 1);
  const isBeside = ({ error }: Found) =>
    error.schemaPath.startsWith(own) && !error.schemaPath.startsWith(`${union.schemaPath}/`);
  const isInside = (other: Found) =>
    other.path.length > path.length && path.every((name, index) => other.path[index] === name);
  const meant = alternativesOf(union).filter(
    (alternative) => typesOf(alternative, root)?.includes(jsonType(union.data)) ?? true,
  );
  const tellsInside = meant.length === 1 && typeof union.data === 'object' && found.some(isInside);
  return found.filter((other) => {
    if (other.error === union) return !tellsInside;
    if (isInside(other)) return tellsInside || isBeside(other);
    return other.error.instancePath !== union.instancePath || isBeside(other);
  });
}

/** Problems that are only other words for one that is told. */
function isImplied(
  { keyword }: ErrorObject,
  path: readonly PropertyKey[],
  all: readonly Found[],
): boolean {
  if (keyword === 'if') return all.length > 1;
  if (keyword !== 'enum' && keyword !== 'const') return false;
  return all.some(
    (other) =>
      other.error.keyword === 'type' &&
      other.path.length === path.length &&
      other.path.every((name, index) => name === path[index]),
  );
}

function issueOf(
  error: ErrorObject,
  path: readonly PropertyKey[],
  root: SchemaNode,
): ArgumentIssue {
  const { keyword, data, params } = error;
  const expected = expectedTypes(error, root);
  const types = expected === undefined ? undefined : whatIs(expected, data);
  switch (keyword) {
    case 'type':
      return { path, message: types ?? '', expected: expected ?? [], refusesNull: true };
    case 'anyOf':
    case 'oneOf':
      return {
        path,
        message: isAnother(expected, data)
          ? (types ?? '')
          : 'it fits none of the alternatives, or more than one',
        expected: isAnother(expected, data) ? (expected ?? []) : [],
        refusesNull: true,
      };
    case 'enum':
      return {
        ...plain(path, `expected one of ${listed(params.allowedValues)}`),
        refusesNull: true,
      };
    case 'const':
      return {
        ...plain(path, `expected ${JSON.stringify(params.allowedValue)}`),
        refusesNull: true,
      };
    case 'required':
      return plain(path, 'it is required, and missing');
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return plain(path, unknownArgument(String(path.at(-1)), siblingsOf(error)));
    default:
      return plain(path, error.message ?? `it fails ${keyword}`);
  }
}

function plain(path: readonly PropertyKey[], message: string): ArgumentIssue {
  return { path, message, expected: [], refusesNull: false };
}

/** The types that are taken in the place of a value; undefined where any may be. */
function expectedTypes(error: ErrorObject, root: SchemaNode): readonly string[] | undefined {
  if (error.keyword === 'type') return [error.params.type].flat().map(String);
  if (!isUnion(error)) return undefined;
  const types = alternativesOf(error).map((alternative) => typesOf(alternative, root));
  return types.every((known) => known !== undefined) ? [...new Set(types.flat())] : undefined;
}

/** Whether a value is of none of these types. */
function isAnother(types: readonly string[] | undefined, data: unknown): boolean {
  if (types === undefined) return false;
  const type = jsonType(data);
  return !types.includes(type) && !(type === 'number' && types.includes('integer'));
}

function whatIs(expected: readonly string[], data: unknown): string {
  const type = jsonType(data);
  // 4.5 is a number, and no integer.
  const received = type === 'number' ? JSON.stringify(data) : type;
  return `expected ${expected.join(' or ')}, received ${received}`;
}

function listed(values: unknown): string {
  const all: readonly unknown[] = Array.isArray(values) ? values : [];
  const told = all.slice(0, MOST_VALUES).map((value) => JSON.stringify(value));
  return `${told.join(', ')}${all.length > MOST_VALUES ? ', …' : ''}`;
}

function alternativesOf({ schema }: ErrorObject): readonly unknown[] {
  return Array.isArray(schema) ? schema : [];
}

function siblingsOf({ parentSchema }: ErrorObject): readonly string[] {
  const properties: unknown = parentSchema?.properties;
  return isRecord(properties) ? Object.keys(properties) : [];
}

/** Where the problem is: a member that is missing or too much is its own place. */
function pathOf({ instancePath, params }: ErrorObject, value: unknown): readonly PropertyKey[] {
  const path: PropertyKey[] = [];
  let at: unknown = value;
  for (const step of instancePath.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(at) ? Number(name) : name);
    at = typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined;
  }
  const member: unknown =
    params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  return typeof member === 'string' ? [...path, member] : path;
}

function isSame(a: ArgumentIssue, b: ArgumentIssue): boolean {
  return (
    a.message === b.message &&
    a.path.length === b.path.length &&
    a.path.every((name, index) => name === b.path[index])
  );
}
