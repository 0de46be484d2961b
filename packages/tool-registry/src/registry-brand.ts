import type { Registry } from './define-registry.js';

const brand = Symbol.for('holdfast.registry');

/** Marks a registry as made by `defineRegistry`, so that it is recognized by any copy of this package, and freezes it. */
export function brandRegistry(registry: Registry): Registry {
  return Object.freeze(Object.defineProperty(registry, brand, { value: true }));
}

/** Whether a value was made by `defineRegistry`. */
export function isRegistry(value: unknown): value is Registry {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, brand);
}
