/** Control characters, with which a text could move the cursor, or hide what it says. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text from the ledger as a terminal may show it. */
export function plain(text: string): string {
  return text.replace(
    control,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** An id as people compare it: a digest by its first digits, anything else whole. */
export function shortId(id: string): string {
  return plain(id.replace(/([0-9a-f]{10})[0-9a-f]{14,}$/, '$1'));
}

/** Wall-clock milliseconds as date and time, UTC. */
export function moment(at: number): string {
  return new Date(at).toISOString().replace('T', ' ');
}

/** `1 run`, `2 runs`. */
export function counted(count: number, noun: string): string {
  const plural = noun.endsWith('sh') ? `${noun}es` : `${noun}s`;
  return `${count} ${count === 1 ? noun : plural}`;
}
