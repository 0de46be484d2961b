import type { RemovableMechanism } from './gate-parts.js';

/** How `call-guard/testing` asks a guard, an adapter's too, to be made again without mechanisms. */
export const WITHOUT: unique symbol = Symbol.for('holdfast.without');

/** What has to be there for it. */
export interface Reducible {
  [WITHOUT](removed: ReadonlySet<RemovableMechanism>): object;
}
