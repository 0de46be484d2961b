import { distance } from 'fastest-levenshtein';
import type { RegistryRule } from './registry-rule.js';

/** Names that a model or a reader takes for each other: they differ by case alone or by one character. */
export const similarNames: RegistryRule = {
  name: 'similar-names',
  check: ({ tools }) =>
    tools.flatMap(({ name }, i) =>
      tools.slice(0, i).flatMap((other) => {
        if (other.name === name) return [];
        const sameButCase = other.name.toLowerCase() === name.toLowerCase();
        if (!sameButCase && distance(other.name, name) > 1) return [];
        const difference = sameButCase ? 'case alone' : 'one character';
        const reason = `it differs from ${other.name} by ${difference}`;
        const fix = 'rename one of the two so that they cannot be mistaken for each other';
        return [{ field: `tools.${name}.name`, reason, fix }];
      }),
    ),
};
