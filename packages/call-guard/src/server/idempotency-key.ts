/** Longer keys are no keys. */
const LONGEST = 255;

/**
 * The key that a request brings: a string of structured fields (RFC 8941, in double quotes), or, as most clients send
 * it, without them.
 */
export function readIdempotencyKey(headers: Headers): string | 'unreadable' | undefined {
  const field = headers.get('idempotency-key')?.trim();
  if (field === undefined) return undefined;
  const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/.exec(field)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (/^[!#-+\--~]+$/.test(field) ? field : '');
  return key === '' || key.length > LONGEST ? 'unreadable' : key;
}
