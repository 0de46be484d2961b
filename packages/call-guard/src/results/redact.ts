import { REDACTED } from '@holdfast/tool-registry';
import { type FieldTree, fieldsIn } from './field-tree.js';
import {
  BRACE,
  BRACKET,
  CLOSING_BRACKET,
  endOfString,
  endOfValue,
  nextItem,
  QUOTE,
  skipSpace,
} from './json-scan.js';

/**
 * A text without the fields that must not be kept. Of JSON all else stays as it was written; of anything else
 * nothing is left, because nobody knows where in it such a field stands.
 */
export function redactText(text: string, fields: FieldTree): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return redactAt(text, 0, fields);
  } catch {
    // It is no JSON.
  }
  return REDACTED;
}

/** A value without these fields; names count in each element of a list. */
export function redactValue(value: unknown, fields: FieldTree): unknown {
  if (Array.isArray(value)) return value.map((inner) => redactValue(inner, fields));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const meant = fieldsIn(fields, name);
      if (meant === undefined) return [name, inner];
      return [name, isLeaf(meant) ? REDACTED : redactValue(inner, meant)];
    }),
  );
}

function redactAt(text: string, start: number, fields: FieldTree): string {
  const begin = skipSpace(text, start);
  switch (text.charCodeAt(begin)) {
    case BRACE:
      return redactObject(text, begin, fields);
    case BRACKET:
      return redactArray(text, begin, fields);
    default:
      return text.slice(begin, endOfValue(text, begin));
  }
}

function redactObject(text: string, start: number, fields: FieldTree): string {
  const members: string[] = [];
  for (let at = skipSpace(text, start + 1); text.charCodeAt(at) === QUOTE; ) {
    const nameEnd = endOfString(text, at);
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = endOfValue(text, valueStart);
    const meant = fieldsIn(fields, String(JSON.parse(text.slice(at, nameEnd))));
    const value =
      meant === undefined
        ? text.slice(valueStart, end)
        : isLeaf(meant)
          ? JSON.stringify(REDACTED)
          : redactAt(text, valueStart, meant);
    members.push(`${text.slice(at, nameEnd)}:${value}`);
    at = nextItem(text, end);
  }
  return `{${members.join(',')}}`;
}

function redactArray(text: string, start: number, fields: FieldTree): string {
  const elements: string[] = [];
  for (let at = skipSpace(text, start + 1); text.charCodeAt(at) !== CLOSING_BRACKET; ) {
    elements.push(redactAt(text, at, fields));
    at = nextItem(text, endOfValue(text, at));
  }
  return `[${elements.join(',')}]`;
}

function isLeaf(fields: FieldTree): boolean {
  return Object.keys(fields).length === 0;
}
