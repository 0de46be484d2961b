import type { RemovableMechanism } from '../gate-parts.js';
import { type Reducible, WITHOUT } from '../without.js';

export { type ManualClock, manualClock } from './manual-clock.js';
export type { RemovableMechanism };

/**
 * The same guard, made again with mechanisms taken out, to see that something turns red without them.
 * For tests only: what is left does not keep the promises.
 *
 * @example const mutant = without(guard, 'write-ahead')
 */
export function without<G extends Reducible>(guard: G, ...mechanisms: RemovableMechanism[]): G {
  return guard[WITHOUT](new Set(mechanisms)) as G;
}
