import { endOfString, endOfValue, endOfWord, skipSpace } from '@holdfast/call-guard';

/**
 * Where the members of a JSON text stand in it, so that what is passed on is passed on as it was written:
 * parsing and printing again changes numbers, and a message that nobody had to touch must not change.
 */

/** The texts of an object's members, by name. The last of equal names counts, as with `JSON.parse`. */
export function membersOf(object: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  eachMember(object, (name, start, end) => members.set(name, object.slice(start, end)));
  return members;
}

/** The text of one of them; undefined where there is none. */
export function memberOf(object: string, wanted: string): string | undefined {
  let from = -1;
  let to = -1;
  eachMember(object, (name, start, end) => {
    if (name !== wanted) return;
    from = start;
    to = end;
  });
  return from === -1 ? undefined : object.slice(from, to);
}

/** Tells of each member its name, and where its value begins and ends. */
export function eachMember(
  object: string,
  tell: (name: string, start: number, end: number) => void,
): void {
  let at = skipSpace(object, object.indexOf('{') + 1);
  while (object[at] === '"') {
    const nameEnd = endOfString(object, at);
    const start = skipSpace(object, skipSpace(object, nameEnd) + 1);
    const end = endOfValue(object, start);
    tell(nameIn(object, at, nameEnd), start, end);
    at = skipSpace(object, end);
    if (object[at] === ',') at = skipSpace(object, at + 1);
  }
}

/** Most names stand in a text as they are. */
function nameIn(text: string, start: number, end: number): string {
  const written = text.slice(start + 1, end - 1);
  return written.includes('\\') ? String(JSON.parse(text.slice(start, end))) : written;
}

/** The texts of an array's elements, in their order. */
export function elementsOf(array: string): readonly string[] {
  const elements: string[] = [];
  let at = skipSpace(array, array.indexOf('[') + 1);
  while (at < array.length && array[at] !== ']') {
    const end = endOfValue(array, at);
    elements.push(array.slice(at, end));
    at = skipSpace(array, end);
    if (array[at] === ',') at = skipSpace(array, at + 1);
  }
  return elements;
}

/** The object's text with one member set, everything else as it was written. */
export function withMember(object: string, name: string, value: string): string {
  const members = new Map(membersOf(object));
  members.set(name, value);
  return printMembers(members);
}

/** An object of members whose values are JSON texts. */
export function printMembers(members: ReadonlyMap<string, string>): string {
  let text = '';
  for (const [name, value] of members) {
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${value}`;
  }
  return `{${text}}`;
}

/**
 * The same text without the line breaks between its tokens, and without a byte order mark before them: a
 * string has no line breaks that are not escaped.
 */
export function onOneLine(json: string): string {
  const text = json.startsWith('\ufeff') ? json.slice(1) : json;
  return /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, ' ').trim() : text;
}

/**
 * The first number of a JSON text that JavaScript cannot hold: two such numbers that differ would be one.
 * Undefined where every number is kept.
 */
export function lossyNumber(text: string): string | undefined {
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') at = endOfString(text, at) - 1;
    else if (isNumberStart(text.charCodeAt(at))) {
      const end = endOfWord(text, at);
      const number = text.slice(at, end);
      if (!isKept(number)) return number;
      at = end - 1;
    }
  }
  return undefined;
}

/** Whether objects and lists of a JSON text stand in each other more than so many levels deep. */
export function isDeeperThan(text: string, levels: number): boolean {
  // Each level takes two characters.
  if (text.length <= 2 * levels) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const here = text.charAt(at);
    if (here === '"') at = endOfString(text, at) - 1;
    else if (here === '{' || here === '[') {
      depth += 1;
      if (depth > levels) return true;
    } else if (here === '}' || here === ']') depth -= 1;
  }
  return false;
}

/** Whether a number's digits come back: 15 always do. */
function isKept(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  const [digits = '', exponent = '0'] = number.toLowerCase().split('e');
  const significant = digits
    .replace(/^-/, '')
    .replace('.', '')
    .replace(/^0+/, '')
    .replace(/0+$/, '');
  if (significant.length <= 15 && Math.abs(Number(exponent)) <= 290) return true;
  return significant === significantDigits(value);
}

function significantDigits(value: number): string {
  const [digits = ''] = Math.abs(value).toExponential().split('e');
  return digits.replace('.', '').replace(/0+$/, '');
}

function isNumberStart(code: number): boolean {
  return code === 45 || (code >= 48 && code <= 57);
}
