/** The rules about tools that are used together, in the order in which their findings are reported. */
import { compensationTool } from './compensation-tool.js';
import { duplicateNames } from './duplicate-names.js';
import { helperReads } from './helper-reads.js';
import type { RegistryRule } from './registry-rule.js';
import { similarNames } from './similar-names.js';
import { undeclaredResourceGroups } from './undeclared-resource-groups.js';
import { unusedResourceGroups } from './unused-resource-groups.js';

export const registryRules: readonly RegistryRule[] = [
  duplicateNames,
  similarNames,
  compensationTool,
  helperReads,
  undeclaredResourceGroups,
  unusedResourceGroups,
];
