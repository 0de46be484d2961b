import type { RegistryRule } from './registry-rule.js';

/** A model calls a tool by its name, so a name means one tool. */
export const duplicateNames: RegistryRule = {
  name: 'duplicate-names',
  severity: 'error',
  check: ({ tools }) =>
    tools.flatMap(({ name }, i) => {
      const first = tools.findIndex((other) => other.name === name);
      if (first === i) return [];
      const reason = `it is the name of tools[${first}] and of tools[${i}]`;
      return [{ field: `tools.${name}.name`, reason, fix: 'rename or remove one of the two' }];
    }),
};
