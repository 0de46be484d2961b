/**
 * A command line as a shell would take it apart: at spaces, except in quotes or after a backslash. Nothing is
 * substituted. Undefined where a quote is not closed, or nothing is there.
 */
export function splitCommand(line: string): readonly [string, ...string[]] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    if (sign === '\\' && quote !== "'" && at + 1 < line.length) {
      at += 1;
      word = `${word ?? ''}${line.charAt(at)}`;
    } else if (quote === '' ? sign === '"' || sign === "'" : sign === quote) {
      quote = quote === '' ? sign : '';
      word ??= '';
    } else if (quote === '' && /\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = `${word ?? ''}${sign}`;
    }
  }
  if (word !== undefined) words.push(word);
  const [command, ...rest] = words;
  return command === undefined || command === '' || quote !== '' ? undefined : [command, ...rest];
}
