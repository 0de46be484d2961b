import { distance } from 'fastest-levenshtein';
import type { RegistryRule } from './registry-rule.js';

/** Names that a model may take for each other: they differ by one character. */
export const similarNames: RegistryRule = {
  name: 'similar-names',
  severity: 'warning',
  check: ({ tools }) =>
    tools.flatMap(({ name }, i) =>
      tools.slice(0, i).flatMap((other) => {
        const caseOnly = other.name.toLowerCase() === name.toLowerCase();
        if (caseOnly || distance(other.name, name) !== 1) return [];
        const reason = `it differs from ${other.name} by one character`;
        const fix = 'rename one of the two so that they cannot be mistaken for each other';
        return [{ field: `tools.${name}.name`, reason, fix }];
      }),
    ),
};
