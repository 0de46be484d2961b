/** The rules about tools that are used together, in the order in which their findings are reported. */
import { caseOnlyNames } from './case-only-names.js';
import { compensationTool } from './compensation-tool.js';
import { duplicateNames } from './duplicate-names.js';
import { helperReads } from './helper-reads.js';
import { identityMadeAnew } from './identity-made-anew.js';
import { keyWindow } from './key-window.js';
import type { RegistryRule } from './registry-rule.js';
import { similarNames } from './similar-names.js';
import { undecided } from './undecided.js';
import { undeclaredResourceGroups } from './undeclared-resource-groups.js';
import { undoFormerValue } from './undo-former-value.js';
import { unknownMentions } from './unknown-mentions.js';
import { unusedResourceGroups } from './unused-resource-groups.js';

export const registryRules: readonly RegistryRule[] = [
  duplicateNames,
  caseOnlyNames,
  similarNames,
  undecided,
  compensationTool,
  undoFormerValue,
  helperReads,
  identityMadeAnew,
  keyWindow,
  undeclaredResourceGroups,
  unusedResourceGroups,
  unknownMentions,
];
