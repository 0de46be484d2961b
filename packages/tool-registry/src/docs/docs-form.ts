import type { Registry } from '../registry.js';
import type { AnyToolEntry } from '../tool-entry.js';

/** One form of the docs. Both texts depend on the registry alone: no date, no path, no order of a machine. */
export interface DocsForm {
  /** The whole document, with a line break at its end. */
  render(registry: Registry): string;
  /** What one tool adds to it, to be measured. */
  tool(entry: AnyToolEntry): string;
}
