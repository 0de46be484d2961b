/**
 * Where a text first differs from what it should be: the number of the line, and both lines. Undefined if the texts are
 * equal.
 */
export function firstDifference(is: string, should: string): string | undefined {
  if (is === should) return undefined;
  const [there, wanted] = [is.split('\n'), should.split('\n')];
  const differs = wanted.findIndex((line, i) => line !== there[i]);
  const i = differs < 0 ? wanted.length : differs;
  const shown = (line: string | undefined) => line ?? '(the end)';
  return `line ${i + 1}\n- ${shown(there[i])}\n+ ${shown(wanted[i])}`;
}
