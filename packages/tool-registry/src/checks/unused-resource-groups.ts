import type { RegistryRule } from './registry-rule.js';

/** A group without a tool is a misspelling, or left over. */
export const unusedResourceGroups: RegistryRule = {
  name: 'unused-resource-groups',
  severity: 'error',
  check: ({ tools, resourceGroups }) =>
    resourceGroups
      .filter((group) => !tools.some((tool) => tool.resourceGroup === group))
      .map((group) => ({
        field: `resourceGroups.${group}`,
        reason: 'no tool uses it',
        fix: 'remove it, or name it as the resourceGroup of a tool',
      })),
};
