/**
 * The lines of two texts as one diff, whole: kept lines begin with a space, removed ones with -, added
 * ones with +. By the longest common subsequence (Wagner and Fischer, 1974); for short texts.
 *
 * @param {string} before
 * @param {string} after
 * @returns {string[]}
 */
export function lineDiff(before, after) {
  const [left, right] = [before, after].map((text) => text.trimEnd().split('\n'));
  // common[i][j]: how many lines the rests from i and from j have in common.
  const common = Array.from({ length: left.length + 1 }, () => Array(right.length + 1).fill(0));
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      common[i][j] =
        left[i] === right[j]
          ? common[i + 1][j + 1] + 1
          : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const lines = [];
  for (let i = 0, j = 0; i < left.length || j < right.length; ) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      lines.push(` ${left[i]}`.trimEnd());
      i += 1;
      j += 1;
    } else if (j === right.length || (i < left.length && common[i + 1][j] >= common[i][j + 1])) {
      lines.push(`-${left[i]}`);
      i += 1;
    } else {
      lines.push(`+${right[j]}`);
      j += 1;
    }
  }
  return lines;
}
