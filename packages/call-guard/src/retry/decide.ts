import type { EffectClass } from '@holdfast/tool-registry';
import type { FailureFacts } from '../failure.js';
import { isPassing } from './passing.js';

/** What the decision about another try depends on: plain data, all of it. */
export interface RetrySetting {
  readonly class: EffectClass;
  readonly failure: FailureFacts;
  /** Tries made so far, at least 1. */
  readonly tries: number;
  readonly most: number;
  /** For keyed writes: whether the key was really sent, and the server still knows it. */
  readonly keyProtects: boolean;
  readonly cancelled: boolean;
  /** Whether a call around this one is tried again as a whole: retries must not multiply. */
  readonly insideRetries: boolean;
  /** Whether the breakers of the tool and its group would let another try through. */
  readonly breakerAllows: boolean;
  /** Whether the resource group has a retry left. */
  readonly budgetAllows: boolean;
  /** What is left of the deadline after its reserves, in milliseconds; Infinity without one. */
  readonly leftMs: number;
  /** How long a try usually takes, in milliseconds; 0 where nobody knows. */
  readonly typicalMs: number;
  /** The wait that jitter would choose, in milliseconds. */
  readonly jitterMs: number;
  /** The longest wait that a server may ask for, in milliseconds. */
  readonly longestWaitMs: number;
}

export type RetryDecision =
  | { readonly retry: true; readonly waitMs: number; readonly directedBy: 'server' | 'guard' }
  | {
      readonly retry: false;
      readonly why: string;
      /** The server asked for a wait that nobody waits for: until then there is no use in calling it. */
      readonly closedForMs?: number;
    };

/**
 * One short-circuit, in the order of its questions: tries left? → was it sent, and does the class allow
 * another sending? → is the failure one that another try may not have? → breakers still closed? → retries
 * left in the budget? → does the deadline cover the wait and a typical try? A failure that is proven to
 * have left nothing behind may be tried again in every class but `undeclared`. A wait that the server asks
 * for is honored exactly, or not at all.
 */
export function decideRetry(setting: RetrySetting): RetryDecision {
  const { failure } = setting;
  const asked = askedWaitMs(failure);
  const tooLong = (asked ?? 0) > setting.longestWaitMs;
  const no = (why: string, closed = tooLong): RetryDecision => ({
    retry: false,
    why,
    ...(closed && asked !== undefined ? { closedForMs: asked } : {}),
  });
  if (setting.cancelled || failure.kind === 'cancelled') return no('the caller gave up');
  if (setting.class === 'undeclared') return no('a tool without an entry is never sent again');
  if (setting.class === 'delegates') return no('the calls inside have their own retries');
  if (setting.insideRetries) return no('the call around it is tried again as a whole');
  if (setting.tries >= setting.most) return no(`all ${setting.most} tries are used`);
  if (failure.effect === 'done') return no('it is done');
  if (
    failure.effect === 'unknown' &&
    !(setting.class === 'idempotent-write' && setting.keyProtects)
  ) {
    return no('it may have had its effect, and nothing protects a second sending');
  }
  if (!isPassing(failure)) return no('another try would fail alike');
  if (tooLong) return no(`the other side asks to wait ${asked} ms, which is too long`);
  if (!setting.breakerAllows) return no('its circuit breaker is open');
  if (!setting.budgetAllows) return no('the retries of its resource group are used up');
  const waitMs = asked ?? setting.jitterMs;
  if (waitMs + setting.typicalMs > setting.leftMs) {
    return no('what is left of the deadline is less than the wait and another try', true);
  }
  return { retry: true, waitMs, directedBy: asked === undefined ? 'guard' : 'server' };
}

/** The wait that the other side asked for, in milliseconds. */
function askedWaitMs({ kind, details }: FailureFacts): number | undefined {
  return kind === 'rate_limited' || kind === 'overloaded' || kind === 'dependency_failed'
    ? details.retryAfterMs
    : undefined;
}
