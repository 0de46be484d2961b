/** Everything that can be wrong with a collection of tools, found at once. */
import { registryRules } from './checks/index.js';
import { checkText, objectOf, type Report, settingsOf, show } from './declaration/settings.js';
import { isToolEntry } from './entry-brand.js';
import type { SetupProblem } from './setup-error.js';
import type { AnyToolEntry } from './tool-entry.js';

function entriesOf(value: unknown, report: Report): readonly AnyToolEntry[] {
  if (!Array.isArray(value)) {
    report(
      'tools',
      `${show(value)} is not a list of tools`,
      'give a list of what defineTool returned',
    );
    return [];
  }
  const tools: AnyToolEntry[] = [];
  value.forEach((tool: unknown, i) => {
    if (isToolEntry(tool)) tools.push(tool);
    else
      report(`tools[${i}]`, `${show(tool)} is not a tool's entry`, 'give what defineTool returned');
  });
  return tools;
}

function groupNames(value: unknown, report: Report): readonly string[] {
  const groups = objectOf(value, 'resourceGroups', "an object: { 'orders-db': {} }", report) ?? {};
  for (const [name, group] of Object.entries(groups)) {
    settingsOf(group, `resourceGroups.${name}`, [], report);
  }
  return Object.keys(groups);
}

/** All problems of the options of `defineRegistry`. */
export function problemsOfCollection(value: unknown): readonly SetupProblem[] {
  const problems: SetupProblem[] = [];
  const report: Report = (field, reason, fix) => problems.push({ field, reason, fix });
  const options = settingsOf(value, 'registry', ['name', 'tools', 'resourceGroups'], report);
  if (options === undefined) return problems;
  checkText(options.name, 'name', 'order-desk', report);
  const tools = entriesOf(options.tools, report);
  const resourceGroups = groupNames(options.resourceGroups, report);
  // Where entries could not be read, a rule would blame the wrong thing.
  if (problems.length > 0) return problems;
  return registryRules
    .filter(({ severity }) => severity === 'error')
    .flatMap(({ name: rule, check }) =>
      check({ tools, resourceGroups }).map((problem) => ({ ...problem, rule })),
    );
}
