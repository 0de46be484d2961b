/**
 * How many bytes a part of a text takes inside a JSON string: UTF-8, quotes and control characters escaped
 * as `JSON.stringify` does.
 *
 * @param end one past the last character; a cut between the two halves of a character counts them apart
 */
export function jsonBytes(text: string, start = 0, end = text.length): number {
  let bytes = 0;
  for (let at = start; at < end; at += 1) {
    const wide = isPair(text, at) && at + 1 < end;
    bytes += wide ? 4 : bytesOf(text.charCodeAt(at));
    if (wide) at += 1;
  }
  return bytes;
}

/** Whether the two characters from `at` on are one code point. */
export function isPair(text: string, at: number): boolean {
  return isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1));
}

function bytesOf(code: number): number {
  if (code === 0x22 || code === 0x5c) return 2;
  if (code < 0x20) return isShortEscape(code) ? 2 : 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  // Half a character is escaped: \ud83d.
  return isHigh(code) || isLow(code) ? 6 : 3;
}

/** \b \t \n \f \r */
function isShortEscape(code: number): boolean {
  return code >= 0x08 && code <= 0x0d && code !== 0x0b;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
