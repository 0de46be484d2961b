import { expect, it } from 'vitest';
import { firstDifference } from './first-difference.js';

it.each([
  ['a\nb\n', 'a\nb\n', undefined],
  ['a\nb\n', 'a\nc\n', 'line 2\n- b\n+ c'],
  ['a\n', 'a\nc\n', 'line 2\n- \n+ c'],
  ['a', 'a\nc', 'line 2\n- (the end)\n+ c'],
  ['a\nb', 'a', 'line 2\n- b\n+ (the end)'],
  ['', 'a\n', 'line 1\n- \n+ a'],
])('%j differs from %j in %j', (is, should, difference) => {
  expect(firstDifference(is, should)).toBe(difference);
});
