import { readerTexts } from '../reader-texts.js';
import type { RegistryRule } from './registry-rule.js';

/** `TODO` alone, or followed by what is to be done. A tool for to-do lists may speak of a TODO. */
const marker = /^\s*TODO\s*$|\bTODO[:(]/;

/** What a draft leaves open, a person decides before it is used. */
export const undecided: RegistryRule = {
  name: 'undecided',
  severity: 'error',
  check: ({ tools }) =>
    tools.flatMap((tool) => {
      const { name, owner, resourceGroup } = tool;
      const texts = [
        ...readerTexts(tool),
        { field: `tools.${name}.resourceGroup`, text: resourceGroup },
        { field: `tools.${name}.owner`, text: owner },
      ];
      return texts
        .filter(({ text }) => marker.test(text))
        .map(({ field }) => ({
          field,
          reason: 'it is marked TODO',
          fix: 'decide it, and remove the mark',
        }));
    }),
};
