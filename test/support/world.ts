/** One thing that really happened outside. */
export interface Deed {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly key?: string;
}

/** The outside world: it keeps no keys and forgives nothing, it counts. */
export class World {
  readonly deeds: Deed[] = [];

  /** Does it, and returns the number of this deed. */
  act(tool: string, args: Record<string, unknown> = {}, key?: string): number {
    this.deeds.push({ tool, args, ...(key === undefined ? {} : { key }) });
    return this.deeds.length;
  }

  /** How often a tool acted, with these arguments at least. */
  count(tool: string, args: Record<string, unknown> = {}): number {
    return this.deeds.filter(
      (deed) =>
        deed.tool === tool &&
        Object.entries(args).every(([name, value]) => deed.args[name] === value),
    ).length;
  }
}
