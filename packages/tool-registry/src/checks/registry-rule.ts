import type { SetupProblem } from '../setup-error.js';
import type { AnyToolEntry } from '../tool-entry.js';

/** What a rule looks at: the entries, each sound in itself, and the names of the declared resource groups. */
export interface Collection {
  readonly tools: readonly AnyToolEntry[];
  readonly resourceGroups: readonly string[];
}

/** One rule about tools that are used together. */
export interface RegistryRule {
  /** The rule's name in kebab case, for reports. */
  readonly name: string;
  /** An `error` stops the definition of a registry. A `warning` may be wrong, so it is only told by the check. */
  readonly severity: 'error' | 'warning';
  /** What breaks the rule; nothing if all is well. */
  check(collection: Collection): readonly SetupProblem[];
}
