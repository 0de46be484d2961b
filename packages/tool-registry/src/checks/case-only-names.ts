import type { RegistryRule } from './registry-rule.js';

/** Names that differ by case alone are one name to a model, and to some providers. */
export const caseOnlyNames: RegistryRule = {
  name: 'case-only-names',
  severity: 'error',
  check: ({ tools }) =>
    tools.flatMap(({ name }, i) =>
      tools.slice(0, i).flatMap((other) => {
        if (other.name === name || other.name.toLowerCase() !== name.toLowerCase()) return [];
        const reason = `it differs from ${other.name} by case alone`;
        const fix = 'rename one of the two so that they cannot be mistaken for each other';
        return [{ field: `tools.${name}.name`, reason, fix }];
      }),
    ),
};
