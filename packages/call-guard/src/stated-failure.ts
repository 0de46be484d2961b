import type { EffectSeen, FailureDetails, FailureFacts, FailureKind } from './failure.js';
import { failed } from './next-step.js';

const BRAND = Symbol.for('holdfast.stated-failure');

/**
 * How an adapter says what it knows about a failure of a tool: thrown inside `execute`, taken as it is
 * instead of being classified.
 */
export class StatedFailure<K extends FailureKind = FailureKind> extends Error {
  override readonly name = 'StatedFailure';
  readonly [BRAND] = true;
  readonly facts: FailureFacts;
  constructor(kind: K, effect: EffectSeen, details: FailureDetails[K], cause?: unknown) {
    super(`${kind} (effect: ${effect})`);
    this.facts = failed(kind, effect, details, cause);
  }
}

export function isStatedFailure(error: unknown): error is StatedFailure {
  return typeof error === 'object' && error !== null && BRAND in error;
}
