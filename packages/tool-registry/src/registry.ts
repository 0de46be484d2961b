import type { AnyToolEntry, Args, Result } from './tool-entry.js';

/** The settings of a downstream that several tools share. It has none yet. */
export type ResourceGroup = Readonly<Record<string, never>>;

export interface Registry<T extends AnyToolEntry = AnyToolEntry> {
  readonly name: string;
  /** SHA-256 over the contracts of all tools. */
  readonly digest: string;
  readonly tools: ReadonlyMap<string, T>;
  readonly resourceGroups: ReadonlyMap<string, ResourceGroup>;
}

/** The names of a registry's tools. */
export type ToolName<R> = R extends Registry<infer T> ? T['name'] : never;
/** The entry of a declared name, `never` for another. */
export type Entry<R, N extends string> =
  R extends Registry<infer T> ? Extract<T, { name: N }> : never;
/** The arguments of a declared name; `unknown` for a name that only the model knows. */
export type ArgsOf<R, N extends string> = [Entry<R, N>] extends [never]
  ? unknown
  : Args<Entry<R, N>>;
/** The result of a declared name; `unknown` for a name that only the model knows. */
export type ResultOf<R, N extends string> = [Entry<R, N>] extends [never]
  ? unknown
  : Result<Entry<R, N>>;

const brand = Symbol.for('holdfast.registry');

/** Marks a registry as made by `defineRegistry`, so that it is recognized by any copy of this package, and freezes it. */
export function brandRegistry(registry: Registry): Registry {
  return Object.freeze(Object.defineProperty(registry, brand, { value: true }));
}

/** Whether a value was made by `defineRegistry`. */
export function isRegistry(value: unknown): value is Registry {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, brand);
}
