import type { FailureDetails } from '@holdfast/call-guard';
import {
  type LockedTools,
  pinnedDefinition,
  type ToolChange,
  toolChange,
} from '@holdfast/tool-registry/lock';
import { withMember } from '../message/json-text.js';
import { memberText } from '../message/message.js';
import type { ListedTool } from '../proxy/tool-list.js';

type Definition = Readonly<Record<string, unknown>>;

/** What was reviewed, and what becomes of a tool that is another one now. */
export interface Pinning {
  readonly tools: LockedTools['tools'];
  /** `warn`: it is told. `block`: it is not called either, and a host does not see what is new of it. */
  readonly policy: 'warn' | 'block';
}

/** The tools of a server, held against what was reviewed. */
export class PinnedTools {
  /** What was told already. */
  readonly #told = new Set<string>();

  /** @param onChange told once of each change */
  constructor(
    private readonly pinning: Pinning,
    private readonly onChange: (change: ToolChange) => void,
  ) {}

  /** Holds all of a server's tools against what was reviewed: also those that are gone. */
  check(definitions: readonly Definition[]): void {
    const there = new Set(definitions.map(({ name }) => name));
    for (const definition of definitions) this.#changeOf(definition);
    for (const tool of Object.keys(this.pinning.tools)) {
      if (!there.has(tool)) this.#tell({ tool, change: 'gone' });
    }
  }

  /**
   * The tool as a host is to see it. A changed one has its reviewed description and schemas, so that what is new
   * reaches no model and a list that a framework holds fast stays the same; one that nobody reviewed is left out.
   */
  form({ name, definition, text }: ListedTool): string | undefined {
    const change = this.#changeOf(definition);
    if (change === undefined || this.pinning.policy === 'warn') return text;
    if (change.change !== 'changed') return undefined;
    // The whole of it: what is not pinned was not reviewed either. A name may have been given another form before.
    const written = memberText(text, 'name');
    const reviewed = JSON.stringify(this.#reviewed(name));
    return written === undefined ? reviewed : withMember(reviewed, 'name', written);
  }

  /**
   * Why a tool must not be called; undefined where it may be.
   *
   * @param found what the server lists under the name; undefined where it cannot be asked
   */
  refusal(
    found: { readonly definition: Definition | undefined } | undefined,
  ): FailureDetails['contract_changed'] | undefined {
    if (this.pinning.policy === 'warn') return undefined;
    if (found === undefined) return { change: 'unread', fields: [] };
    if (found.definition === undefined) return undefined;
    const change = this.#changeOf(found.definition);
    switch (change?.change) {
      case 'changed':
        return {
          change: 'changed',
          // Further down even the names are the server's words.
          fields: [...new Set(change.fields.map(({ field }) => field.split('.')[0] ?? field))],
        };
      case 'new':
        return { change: 'new', fields: [] };
      default:
        return undefined;
    }
  }

  #changeOf(definition: Definition): ToolChange | undefined {
    const name = String(definition.name);
    const change = toolChange(name, this.#reviewed(name), pinnedDefinition(definition));
    if (change !== undefined) this.#tell(change);
    return change;
  }

  #reviewed(name: string): unknown {
    const { tools } = this.pinning;
    return Object.hasOwn(tools, name) ? tools[name] : undefined;
  }

  #tell(change: ToolChange): void {
    const words = JSON.stringify(change);
    if (this.#told.has(words)) return;
    this.#told.add(words);
    this.onChange(change);
  }
}
