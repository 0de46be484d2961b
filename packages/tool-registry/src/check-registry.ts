import { registryRules } from './checks/index.js';
import type { Registry } from './registry.js';

/** Something that a rule found in a registry, or in a declaration. */
export interface Finding {
  /** A `warning` may be wrong: a person decides. An `error` also stops the definition. */
  readonly severity: 'error' | 'warning';
  /** The rule's name in kebab case; `declaration` for what one declaration says. */
  readonly rule: string;
  /** The tool's name, where it is about one. */
  readonly tool?: string;
  /** Where: `tools.send_mail.summary`. */
  readonly field: string;
  readonly reason: string;
  /** What to do. */
  readonly fix: string;
}

/** `tools.send_mail.summary`; a list's index (`tools[2]`) names no tool, nor does `tools.(unnamed)`. */
const toolInField = /^tools\.([^.([]+)(?:\.|$)/;

/** The tool that a field is about, if it is about one. */
export function toolOfField(field: string): { readonly tool?: string } {
  const tool = toolInField.exec(field)?.[1];
  return tool === undefined ? {} : { tool };
}

/**
 * Applies every rule to a registry, with those that only warn and may be wrong. A registry that was defined has no
 * errors, so what is found are warnings. Mappings of compensations are tried on made-up values, so it is for tests and
 * builds, not for the start of a program.
 *
 * @returns the findings by rule; none if there is nothing to say
 * @example expect(checkRegistry(registry)).toEqual([])
 */
export function checkRegistry(registry: Registry): readonly Finding[] {
  const tools = [...registry.tools.values()];
  const resourceGroups = [...registry.resourceGroups.keys()];
  return registryRules.flatMap(({ name: rule, severity, check }) =>
    check({ tools, resourceGroups }).map(({ field, reason, fix }) => ({
      severity,
      rule,
      ...toolOfField(field),
      field,
      reason,
      fix,
    })),
  );
}
