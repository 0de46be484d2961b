import type { Checks } from './suite.js';

/** One scenario of the suite, without the proxy and with it. */
export interface Scenario {
  readonly name: string;
  readonly direct: Checks;
  readonly proxied: Checks;
}

export interface ComparedPath {
  readonly path: string;
  readonly scenarios: readonly Scenario[];
  /** Whether each check of each scenario ended the same, what it looked at included. */
  readonly same: boolean;
}

export function comparedPath(
  path: string,
  direct: ReadonlyMap<string, Checks>,
  proxied: ReadonlyMap<string, Checks>,
): ComparedPath {
  const names = [...new Set([...direct.keys(), ...proxied.keys()])];
  const scenarios = names.map((name) => ({
    name,
    direct: direct.get(name) ?? [],
    proxied: proxied.get(name) ?? [],
  }));
  return { path, scenarios, same: scenarios.every(isSame) };
}

export function isSame({ direct, proxied }: Scenario): boolean {
  return JSON.stringify(direct) === JSON.stringify(proxied);
}

/** How many checks that can fail did not. */
export function passed(checks: Iterable<Checks>): { readonly of: number; readonly passed: number } {
  const all = [...checks]
    .flat()
    .filter(({ status }) => status === 'SUCCESS' || status === 'FAILURE');
  return { of: all.length, passed: all.filter(({ status }) => status === 'SUCCESS').length };
}
