import { expect, it } from 'vitest';
import { durationText } from './duration-text.js';

it.each([
  [0, '0 ms'],
  [40, '40 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [1_250, '1.25 s'],
  [59_600, '59.6 s'],
  [60_000, '1 min'],
  [90_000, '1 min 30 s'],
  [119_600, '2 min'],
  [7_200_000, '2 h'],
  [86_400_000, '1 d'],
  [604_800_000, '7 d'],
  [90_000_000, '1 d 1 h'],
])('%d ms are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
