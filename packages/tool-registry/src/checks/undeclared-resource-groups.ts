import { nearestNames } from '../nearest-names.js';
import type { RegistryRule } from './registry-rule.js';

/** A tool that names a group nobody declared would share no limits with anyone. */
export const undeclaredResourceGroups: RegistryRule = {
  name: 'undeclared-resource-groups',
  severity: 'error',
  check: ({ tools, resourceGroups }) =>
    tools.flatMap(({ name, resourceGroup }) => {
      if (resourceGroups.includes(resourceGroup)) return [];
      const [near] = nearestNames(resourceGroup, resourceGroups, 1);
      const fix =
        near === undefined ? `add '${resourceGroup}' to resourceGroups` : `did you mean '${near}'?`;
      const reason = `'${resourceGroup}' is not declared in resourceGroups`;
      return [{ field: `tools.${name}.resourceGroup`, reason, fix }];
    }),
};
