/**
 * Shares a budget out: small parts get what they take, then large ones equal shares of what is left, as long
 * as a share is worth having; what comes after them gets 0.
 *
 * @param least a share below this is worth nothing
 */
export function sharesOf(
  sizes: readonly number[],
  budget: number,
  least: number,
): readonly number[] {
  const shares = sizes.map(() => 0);
  const bySize = sizes.map((size, index) => ({ size, index })).sort((a, b) => a.size - b.size);
  let left = budget;
  const large: number[] = [];
  for (const { size, index } of bySize) {
    if (size <= left) {
      shares[index] = size;
      left -= size;
    } else large.push(index);
  }
  const served = large.sort((a, b) => a - b).slice(0, Math.max(0, Math.floor(left / least)));
  for (const index of served) shares[index] = Math.floor(left / served.length);
  return shares;
}
