const unitsMs = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/**
 * A duration for readers, in its two largest units.
 *
 * @example durationText(90_000) // '1 min 30 s'
 * @example durationText(1_250) // '1.25 s'
 */
export function durationText(ms: number): string {
  const i = unitsMs.findIndex(([, size]) => ms >= size);
  const [unit, size] = unitsMs[i] ?? ['ms', 1];
  const [smallerUnit, smallerSize] = unitsMs[i + 1] ?? [];
  if (i < 0 || smallerUnit === undefined || smallerSize === undefined) {
    return `${Math.round((ms / size) * 100) / 100} ${unit}`;
  }
  // Rounded first, so that 59.6 s become the next minute and not 60 s.
  const inSmaller = Math.round(ms / smallerSize);
  const perUnit = size / smallerSize;
  const rest = inSmaller % perUnit;
  const whole = `${Math.floor(inSmaller / perUnit)} ${unit}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallerUnit}`;
}
