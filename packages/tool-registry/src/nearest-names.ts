import { distance } from 'fastest-levenshtein';

/** Longer than any registered name can be near to; it keeps what a model made up from costing time. */
const longestNear = 128;

/**
 * The names that look most like `name`, nearest first, case not counted: at most a third of the letters differ, two in
 * a short name.
 *
 * @param max how many at most. Default: 3
 * @example nearestNames('get_ordr', ['get_order', 'send_mail']) // ['get_order']
 */
export function nearestNames(name: string, names: Iterable<string>, max = 3): string[] {
  if (name.length > longestNear) return [];
  const wanted = name.toLowerCase();
  const near: { name: string; edits: number }[] = [];
  for (const candidate of names) {
    const edits = distance(wanted, candidate.toLowerCase());
    const longer = Math.max(wanted.length, candidate.length);
    if (edits < longer && edits <= Math.max(2, Math.floor(longer / 3)))
      near.push({ name: candidate, edits });
  }
  near.sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1));
  return near.slice(0, max).map((n) => n.name);
}
