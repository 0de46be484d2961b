/** No argument of a process can hold it. */
const mark = '\0';

/**
 * Arguments of which the parser sees that they are no numbers: it would make 7 of a thread named 007, and
 * Infinity of a key such as 1e999. {@link literal} gives them back.
 *
 * @param argv as in `process.argv`.
 */
export function markNumbers(argv: readonly string[]): string[] {
  return argv.map((argument) => {
    const value = argument.startsWith('-')
      ? argument.slice(argument.indexOf('=') + 1 || argument.length)
      : argument;
    return value !== '' && Number.isFinite(Number(value)) ? `${argument}${mark}` : argument;
  });
}

/** An argument, or a text that quotes one, as it was given. */
export function literal(text: string): string {
  return text.replaceAll(mark, '');
}
