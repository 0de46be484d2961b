/**
 * Cuts texts and JSON texts down to a size. Pure, and linear in the length of the text: what is kept is kept
 * as it was written, because printing a parsed value again changes numbers.
 */
import { type FieldTree, fieldsIn } from './field-tree.js';
import { isPair, jsonBytes } from './json-bytes.js';
import {
  BACKSLASH,
  BRACE,
  BRACKET,
  CLOSING_BRACKET,
  endOfString,
  endOfValue,
  nextItem,
  QUOTE,
  skipSpace,
} from './json-scan.js';
import { LEFT_OUT_FIELD, leftOut, leftOutWhole } from './left-out.js';
import { sharesOf } from './shares.js';

/** The least that anything can be cut down to, in bytes: what says how much was left out. */
export const LEAST_BYTES = 128;

/** Of what a text may keep, how much its beginning gets. */
const HEAD_SHARE = 0.7;

/** The smallest member of an object, "":0 with its comma, in bytes inside of a string. */
const LEAST_MEMBER_BYTES = 7;

/** Deeper than this nothing is cut any more, but left out as a whole. */
const DEEPEST = 24;

/** What says how an operation went, and is worth more than what it returned. */
const TELLING: ReadonlySet<string> = new Set([
  ...['status', 'statusCode', 'status_code', 'state', 'ok', 'success', 'failed', 'isError'],
  ...['error', 'errors', 'code', 'message', 'reason', 'warning', 'warnings', 'id'],
  ...['total', 'count', 'cursor', 'nextCursor', 'next_cursor', 'hasMore', 'has_more'],
]);

/**
 * Cuts a text down to at most `maxBytes` inside a JSON string: JSON by its structure, so that it can still be
 * parsed, anything else to its beginning and its end. Says in place how much was left out. A text that is
 * small enough is returned as it is.
 *
 * @param maxBytes at least {@link LEAST_BYTES}
 * @param kept fields of JSON to keep before others
 */
export function trim(text: string, maxBytes: number, kept: FieldTree = {}): string {
  if (text.length <= maxBytes && jsonBytes(text) <= maxBytes) return text;
  return isJson(text) ? new JsonCut(text).fit(0, maxBytes, kept, 0) : cutText(text, maxBytes);
}

function isJson(text: string): boolean {
  const first = text.charCodeAt(skipSpace(text, 0));
  if (first !== BRACE && first !== BRACKET) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function cutText(text: string, maxBytes: number): string {
  const most = Math.max(0, maxBytes - LEAST_BYTES);
  let head = 0;
  for (let bytes = 0; head < text.length; ) {
    const next = head + (isPair(text, head) ? 2 : 1);
    bytes += jsonBytes(text, head, next);
    if (bytes > most * HEAD_SHARE) break;
    head = next;
  }
  let tail = text.length;
  for (let bytes = 0; tail > head; ) {
    const next = tail - (isPair(text, tail - 2) ? 2 : 1);
    bytes += jsonBytes(text, next, tail);
    if (bytes > most * (1 - HEAD_SHARE) || next < head) break;
    tail = next;
  }
  const said = leftOut(tail - head, text.length, 'characters', head);
  return `${text.slice(0, head)}\n${said}\n${text.slice(tail)}`;
}

/** A member of an object that may stay. */
interface Member {
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
  readonly bytes: number;
  readonly rank: Rank;
  readonly kept: FieldTree;
}

/** What is kept first: what the entry names, what tells how it went, all else. */
type Rank = 0 | 1 | 2;

/** A valid JSON text that is being cut. */
class JsonCut {
  constructor(private readonly text: string) {}

  /** The value at `start` in at most `most` bytes, which are at least `LEAST_BYTES`. */
  fit(start: number, most: number, kept: FieldTree, depth: number): string {
    const { text } = this;
    const begin = skipSpace(text, start);
    const end = endOfValue(text, begin);
    if (end - begin <= most && jsonBytes(text, begin, end) <= most) return text.slice(begin, end);
    if (depth <= DEEPEST) {
      switch (text.charCodeAt(begin)) {
        case BRACE:
          return this.#object(begin, most, kept, depth);
        case BRACKET:
          return this.#array(begin, most, kept, depth);
        case QUOTE:
          return this.#string(begin, end, most);
      }
    }
    return JSON.stringify(leftOutWhole(`a value of ${end - begin} characters`));
  }

  /** The first elements, whole; of the first one alone a part. */
  #array(start: number, most: number, kept: FieldTree, depth: number): string {
    const { text } = this;
    const elements: string[] = [];
    let left = most - LEAST_BYTES;
    let isFull = false;
    let count = 0;
    for (let at = skipSpace(text, start + 1); text.charCodeAt(at) !== CLOSING_BRACKET; ) {
      const end = endOfValue(text, at);
      const bytes = isFull ? 0 : jsonBytes(text, at, end) + 1;
      if (!isFull && bytes <= left) {
        elements.push(text.slice(at, end));
        left -= bytes;
      } else if (!isFull) {
        isFull = true;
        if (count === 0 && left > LEAST_BYTES) {
          elements.push(this.fit(at, left - 1, kept, depth + 1));
        }
      }
      count += 1;
      at = nextItem(text, end);
    }
    const missing = count - elements.length;
    if (missing > 0) elements.push(JSON.stringify(leftOut(missing, count, 'items')));
    return `[${elements.join(',')}]`;
  }

  /** What is named first, then what tells how it went, then the rest. */
  #object(start: number, most: number, kept: FieldTree, depth: number): string {
    const { members, count } = this.#members(start, most, kept);
    const fields = new Map<number, string>();
    let left = most - LEAST_BYTES;
    for (const rank of [0, 1, 2] as const) {
      const ofRank = members.filter((member) => member.rank === rank);
      const budget = rank === 1 ? Math.floor(left / 2) : left;
      left -= budget - this.#fields(ofRank, budget, depth, fields);
    }
    const missing = count - fields.size;
    const texts = [...fields].sort(([a], [b]) => a - b).map(([, text]) => text);
    if (missing > 0) {
      const said = leftOut(missing, count, 'fields');
      texts.push(`${JSON.stringify(LEFT_OUT_FIELD)}:${JSON.stringify(said)}`);
    }
    return `{${texts.join(',')}}`;
  }

  /** Each member with its share. Returns what is left after them. */
  #fields(
    members: readonly Member[],
    budget: number,
    depth: number,
    fields: Map<number, string>,
  ): number {
    const { text } = this;
    const sizes = members.map(({ bytes }) => bytes);
    let left = budget;
    sharesOf(sizes, budget, LEAST_BYTES).forEach((share, index) => {
      const member = members[index];
      if (member === undefined || share === 0) return;
      const { start, valueStart, end, bytes, kept } = member;
      if (share === bytes) {
        fields.set(start, text.slice(start, end));
        left -= bytes;
        return;
      }
      const name = text.slice(start, valueStart);
      const forValue = share - jsonBytes(name) - 1;
      if (forValue < LEAST_BYTES) return;
      const fitted = `${name}${this.fit(valueStart, forValue, kept, depth + 1)}`;
      fields.set(start, fitted);
      left -= jsonBytes(fitted) + 1;
    });
    return left;
  }

  /** The members that may stay: each that is named, and no more of the others than could stay whole. */
  #members(
    start: number,
    most: number,
    keptHere: FieldTree,
  ): { readonly members: readonly Member[]; readonly count: number } {
    const { text } = this;
    const members: Member[] = [];
    const named = new Set<string>();
    const mostOthers = Math.floor(most / LEAST_MEMBER_BYTES);
    let others = 0;
    let count = 0;
    for (let at = skipSpace(text, start + 1); text.charCodeAt(at) === QUOTE; ) {
      const nameEnd = endOfString(text, at);
      const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
      const end = endOfValue(text, valueStart);
      const name = String(JSON.parse(text.slice(at, nameEnd)));
      const kept = named.has(name) ? undefined : fieldsIn(keptHere, name);
      const tells = TELLING.has(name) && !named.has(name);
      const rank: Rank = kept !== undefined ? 0 : tells ? 1 : 2;
      if (rank === 2) others += 1;
      else named.add(name);
      if (rank !== 2 || others <= mostOthers) {
        const bytes = jsonBytes(text, at, end) + 1;
        members.push({ start: at, valueStart, end, bytes, rank, kept: kept ?? {} });
      }
      count += 1;
      at = nextItem(text, end);
    }
    return { members, count };
  }

  /** Beginning and end of a string, never cut inside of an escape. */
  #string(start: number, end: number, most: number): string {
    const { text } = this;
    const forHead = (most - LEAST_BYTES) * HEAD_SHARE;
    const forTail = (most - LEAST_BYTES) * (1 - HEAD_SHARE);
    const all = jsonBytes(text, start + 1, end - 1);
    let bytes = 0;
    let characters = 0;
    let head = start + 1;
    let before = 0;
    let tail = end - 1;
    let after = 0;
    for (let at = start + 1; at < end - 1; ) {
      if (bytes <= forHead) {
        head = at;
        before = characters;
      }
      if (all - bytes <= forTail && tail === end - 1) {
        tail = at;
        after = characters;
      }
      const next = endOfCharacter(text, at);
      bytes += jsonBytes(text, at, next);
      characters += text.charCodeAt(at) === BACKSLASH ? Math.ceil((next - at) / 6) : next - at;
      at = next;
    }
    if (tail === end - 1) after = characters;
    const said = leftOut(after - before, characters, 'characters', before);
    return `"${text.slice(start + 1, head)}${said}${text.slice(tail, end - 1)}"`;
  }
}

/** One past the code point at `at`, written out or as one escape or two. */
function endOfCharacter(text: string, at: number): number {
  if (text.charCodeAt(at) !== BACKSLASH) return at + (isPair(text, at) ? 2 : 1);
  const pair = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/y;
  pair.lastIndex = at;
  if (pair.test(text)) return at + 12;
  return at + (text[at + 1] === 'u' ? 6 : 2);
}
