import type { z } from 'zod';
import { canonicalJson, sha256 } from './canonical-json.js';
import { problemsOfCollection } from './check-collection.js';
import { brandRegistry, type Registry, type ResourceGroup } from './registry.js';
import { refuse } from './setup-error.js';
import type { AnyToolEntry, EntryUndo, NoCompensation } from './tool-entry.js';

/** What a mapping may return for a schema that takes `T`: a literal's lists are read-only. */
type Given<T> = T extends Date | ((...args: never[]) => unknown)
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Given<T[K]> }
    : T;
type KeysOf<T> = T extends unknown ? keyof T : never;
/** Whether every key of a mapping's result is a key of what is taken, as far as the compiler knows them. */
type NoKeyTooMany<T, M> = unknown extends T
  ? true
  : string extends KeysOf<M>
    ? true
    : [KeysOf<M>] extends [KeysOf<T>]
      ? true
      : false;
/** Whether a mapping's result `M` is what `T` takes. */
type Takes<T, M> = [M] extends [Given<T>] ? NoKeyTooMany<T, M> : false;

type Named<All, K> = Extract<All, { name: K }>;
type Target<All, K> =
  Named<All, K> extends { modelInput: infer I extends z.ZodType } ? z.input<I> : never;

type UndoOf<T> = T extends { readonly compensation?: infer E }
  ? Exclude<E, NoCompensation | undefined>
  : never;

/** An entry itself, or what is wrong with its compensation, as a type that the compiler shows. */
type Checked<T extends AnyToolEntry, All> = [UndoOf<T>] extends [EntryUndo<infer K, infer M>]
  ? [K] extends [never]
    ? T
    : string extends K
      ? T
      : [Named<All, K>] extends [never]
        ? `the compensation of ${T['name']} names ${K}, which is not in this registry`
        : Takes<Target<All, K>, M> extends true
          ? T
          : { compensationBy: K; takes: Target<All, K>; gets: M }
  : T;

/**
 * The collection of an agent's tools. That each compensation's tool is among them and takes what the mapping returns
 * is checked by the compiler; the rest (see `checks/`) when the program starts.
 *
 * @throws SetupError `registry_invalid` with every problem of the collection at once
 * @example
 * export default defineRegistry({
 *   name: 'order-desk', tools: [getOrder, setDelivery], resourceGroups: { 'orders-db': {} },
 * })
 */
export function defineRegistry<const T extends readonly AnyToolEntry[]>(options: {
  name: string;
  tools: T & { readonly [K in keyof T]: Checked<T[K], T[number]> };
  /** Every downstream that a tool names as its resource group. */
  resourceGroups: Readonly<Record<string, ResourceGroup>>;
}): Registry<T[number]>;
export function defineRegistry(options: {
  name: string;
  tools: readonly AnyToolEntry[];
  resourceGroups: Readonly<Record<string, ResourceGroup>>;
}): Registry {
  refuse(problemsOfCollection(options));
  const { name, tools, resourceGroups } = options;
  const contracts = tools.map((tool) => [tool.name, tool.digest] as const);
  contracts.sort(([a], [b]) => (a < b ? -1 : 1));
  return brandRegistry({
    name,
    digest: sha256(canonicalJson(contracts)),
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    resourceGroups: new Map(Object.entries(resourceGroups)),
  });
}
