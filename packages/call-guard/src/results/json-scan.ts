/** Where things stand in a JSON text. In one that is cut off, what has no end ends with it. */

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const BRACE = 0x7b;
export const BRACKET = 0x5b;
const CLOSING_BRACE = 0x7d;
export const CLOSING_BRACKET = 0x5d;
const COMMA = 0x2c;

/** One past the value that begins at `start`. */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  if (first !== BRACE && first !== BRACKET) return endOfWord(text, start);
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    if (code === BRACE || code === BRACKET) depth += 1;
    if (code === CLOSING_BRACE || code === CLOSING_BRACKET) depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** One past the last character of a number or of a word such as `true`. */
export function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && !',]} \t\r\n:'.includes(text.charAt(at))) at += 1;
  return at;
}

/** One past the closing quote of the string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    at = quote;
  }
}

/** Where the next element or member begins, or the closing bracket stands. */
export function nextItem(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text.charCodeAt(at) === COMMA ? skipSpace(text, at + 1) : at;
}

/** The first character at `start` or behind it that is no white space. */
export function skipSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at += 1;
  }
}
