/** One text per value: JSON in the canonical form of RFC 8785, and its SHA-256. */
import { hash } from 'node:crypto';

const brand: unique symbol = Symbol.for('holdfast.canonical-json-error');

/** Why a value has no canonical form. */
export type CanonicalJsonReason =
  | 'not_finite'
  | 'undefined'
  | 'bigint'
  | 'function'
  | 'symbol'
  | 'lone_surrogate'
  | 'invalid_date'
  | 'not_plain'
  | 'cycle'
  | 'too_deep';

const meaning: Record<CanonicalJsonReason, string> = {
  not_finite: 'NaN and Infinity are not JSON numbers',
  undefined: 'undefined has no JSON form',
  bigint: 'a bigint has no JSON form',
  function: 'a function has no JSON form',
  symbol: 'a symbol has no JSON form',
  lone_surrogate: 'half of a surrogate pair is not text',
  invalid_date: 'an invalid Date has no JSON form',
  not_plain: 'only plain objects, arrays, Dates and objects with toJSON have a JSON form',
  cycle: 'the value contains itself',
  too_deep: 'nested deeper than 512 levels',
};

/** A value without a canonical form. Recognize it by {@link isCanonicalJsonError}. */
export class CanonicalJsonError extends Error {
  readonly [brand] = true;
  override readonly name = 'CanonicalJsonError';
  /** Where in the value: `$`, `$.items[2]["odd key"]`. */
  readonly path: string;
  readonly reason: CanonicalJsonReason;

  constructor(path: string, reason: CanonicalJsonReason) {
    super(`${path}: ${meaning[reason]}`);
    this.path = path;
    this.reason = reason;
  }
}

/** Whether `error` is a {@link CanonicalJsonError}, of any copy of this package. */
export function isCanonicalJsonError(error: unknown): error is CanonicalJsonError {
  return typeof error === 'object' && error !== null && brand in error;
}

const maxDepth = 512;
/** Up to here a loop over the characters is faster than JSON.stringify. */
const shortString = 64;
const loneSurrogate = /[\ud800-\udfff]/u;
const identifier = /^[A-Za-z_$][\w$]*$/;

/** The containers around the value in hand and the steps that lead to it. */
interface Place {
  readonly containers: object[];
  readonly steps: (string | number)[];
}

function refuse(place: Place, depth: number, reason: CanonicalJsonReason): never {
  const steps = place.steps.slice(0, depth).map((step) => {
    return identifier.test(String(step)) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  throw new CanonicalJsonError(`$${steps.join('')}`, reason);
}

function writeString(text: string, place: Place, depth: number): string {
  // Stryker disable all: a shortcut; JSON.stringify gives the same
  if (text.length <= shortString) {
    let plain = true;
    for (let i = 0; i < text.length && plain; i++) {
      const unit = text.charCodeAt(i);
      plain = unit >= 0x20 && unit < 0x7f && unit !== 0x22 && unit !== 0x5c;
    }
    if (plain) return `"${text}"`;
  }
  // Stryker restore all
  if (loneSurrogate.test(text)) refuse(place, depth, 'lone_surrogate');
  return JSON.stringify(text);
}

/** Keys by UTF-16 code units, which is how JavaScript compares strings. */
function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  // Stryker disable all: a shortcut; what is in order already may be sorted as well
  let previous = '';
  for (const key of keys) {
    if (previous > key) return keys.sort();
    previous = key;
  }
  // Stryker restore all
  return keys;
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  // One step below null, so that plain objects of another realm count too.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isDate(value: object): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]';
}

function writeContainer(value: object, place: Place, depth: number): string {
  for (let i = 0; i < depth; i++) {
    if (place.containers[i] === value) refuse(place, depth, 'cycle');
  }
  if (depth === maxDepth) refuse(place, depth, 'too_deep');
  place.containers[depth] = value;
  let text = '';
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      place.steps[depth] = i;
      text += `${i === 0 ? '' : ','}${write(value[i], i, place, depth + 1)}`;
    }
    return `[${text}]`;
  }
  if (!isPlain(value)) return refuse(place, depth, 'not_plain');
  for (const key of sortedKeys(value)) {
    place.steps[depth] = key;
    const name = writeString(key, place, depth + 1);
    text += `${text === '' ? '' : ','}${name}:${write(value[key], key, place, depth + 1)}`;
  }
  return `{${text}}`;
}

function writeObject(value: object, key: string | number, place: Place, depth: number): string {
  if (!('toJSON' in value) || typeof value.toJSON !== 'function') {
    return writeContainer(value, place, depth);
  }
  if (isDate(value) && Number.isNaN(value.getTime())) refuse(place, depth, 'invalid_date');
  const replaced: unknown = value.toJSON(String(key));
  // As in JSON.stringify, toJSON is asked once.
  if (typeof replaced === 'object' && replaced !== null) {
    return writeContainer(replaced, place, depth);
  }
  return write(replaced, key, place, depth);
}

function write(value: unknown, key: string | number, place: Place, depth: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value, place, depth);
    case 'number':
      if (!Number.isFinite(value)) refuse(place, depth, 'not_finite');
      return String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : writeObject(value, key, place, depth);
    case 'undefined':
      return refuse(place, depth, 'undefined');
    case 'bigint':
      return refuse(place, depth, 'bigint');
    case 'function':
      return refuse(place, depth, 'function');
    case 'symbol':
      return refuse(place, depth, 'symbol');
  }
}

/**
 * The canonical JSON text of a value by RFC 8785: keys in UTF-16 order, numbers and strings as ECMAScript writes them.
 * Equal values give equal texts, whatever the order of their keys; nothing is dropped and nothing is turned into
 * something else. Dates become their ISO string, `toJSON` is honored, -0 is 0.
 *
 * @throws CanonicalJsonError (`path`, `reason`) for NaN, Infinity, undefined (as a property too), bigint, function,
 * symbol, lone surrogates (in keys too), invalid dates, class instances without `toJSON` (Map, Set and typed arrays
 * are such), cycles, and more than 512 levels of nesting
 * @example canonicalJson({ b: 1, a: [new Date(0)] }) // '{"a":["1970-01-01T00:00:00.000Z"],"b":1}'
 */
export function canonicalJson(value: unknown): string {
  // Stryker disable next-line ArrayDeclaration: both are read as far as they were written only
  return write(value, '', { containers: [], steps: [] }, 0);
}

/** SHA-256 of a text (as UTF-8) or of bytes, in lower-case hexadecimal. */
export function sha256(text: string | Uint8Array): string {
  return hash('sha256', text);
}
