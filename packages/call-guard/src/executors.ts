import { nearestNames, type Registry, SetupError } from '@holdfast/tool-registry';
import type { Execute } from './call/request.js';

/** What can execute a registered tool for the guard itself: for a probe or a capture. */
export class Executors {
  readonly #byTool: Map<string, Execute<unknown, unknown>>;
  readonly #complete = new Set<string>();

  /** @throws SetupError `option_out_of_range` for names that the registry does not have. */
  constructor(
    private readonly registry: Registry,
    given: Readonly<Record<string, Execute<never, unknown> | undefined>>,
  ) {
    const problems = Object.keys(given).filter((name) => !registry.tools.has(name));
    const [first, ...others] = problems.map((name) => {
      const near = nearestNames(name, [...registry.tools.keys()], 1);
      return {
        field: `executors.${name}`,
        reason: `the registry has no tool named ${name}`,
        fix: near.length === 0 ? 'leave it out' : `did you mean ${near.join()}?`,
      };
    });
    if (first !== undefined) throw new SetupError('option_out_of_range', [first, ...others]);
    // The entry's schema vouches for the arguments that an executor is given.
    this.#byTool = new Map(Object.entries(given) as [string, Execute<unknown, unknown>][]);
  }

  register(tool: string, execute: Execute<unknown, unknown>): void {
    if (!this.#byTool.has(tool)) this.#byTool.set(tool, execute);
  }

  get(tool: string): Execute<unknown, unknown> | undefined {
    return this.#byTool.get(tool);
  }

  /** As `check`, for one tool; what was complete once stays so. */
  checkTool(tool: string): void {
    if (this.#complete.has(tool)) return;
    this.check([tool]);
    if (this.registry.tools.has(tool)) this.#complete.add(tool);
  }

  /** @throws SetupError `executor_missing`, naming every entry whose probe or capture nothing executes. */
  check(tools: Iterable<string>): void {
    const problems = [...tools].flatMap((tool) => {
      const entry = this.registry.tools.get(tool);
      return (['capture', 'probe'] as const).flatMap((use) => {
        const needed = entry?.[use]?.tool.name;
        return needed === undefined || this.#byTool.has(needed)
          ? []
          : [
              {
                field: `tools.${tool}.${use}`,
                reason: `nothing can execute ${needed}`,
                fix: `guard the tool ${needed} too, or give createGuard({ executors: { ${needed}: … } })`,
              },
            ];
      });
    });
    const [first, ...others] = problems;
    if (first !== undefined) throw new SetupError('executor_missing', [first, ...others]);
  }
}
