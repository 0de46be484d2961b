/** Where things stand in a valid JSON text. */

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
  if (first !== BRACE && first !== BRACKET) {
    let at = start;
    while (at < text.length && !',]} \t\r\n'.includes(text.charAt(at))) at += 1;
    return at;
  }
  let depth = 0;
  for (let at = start; ; ) {
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
}

/** One past the closing quote of the string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
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
