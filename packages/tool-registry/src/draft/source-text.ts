/** A text as a literal of TypeScript: whatever a server put into it stays inside of the quotes. */
export function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1);
  return `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** The name of a member of an object literal. `__proto__` would be no member at all. */
export function memberName(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** The longest foreign text that a comment quotes, in characters. */
const LONGEST = 500;

/** A foreign text as a comment on one line, quoted, which it cannot get out of. */
export function quotingComment(before: string, text: string): string {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return `// ${before}${JSON.stringify(short).replace(/[\u2028\u2029]/g, ' ')}`;
}
