import type { EffectClass } from '@holdfast/tool-registry';
import type { FailureFacts } from '../failure.js';

/** What the decision about another try depends on. */
export interface RetrySetting {
  readonly class: EffectClass;
  readonly failure: FailureFacts;
  /** Tries made so far, at least 1. */
  readonly tries: number;
  readonly most: number;
  /** For keyed writes: whether the key was really sent, and the server still knows it. */
  readonly keyProtects: boolean;
  readonly cancelled: boolean;
}

export type RetryDecision =
  | { readonly retry: true }
  | { readonly retry: false; readonly why: string };

/**
 * One short-circuit, in the order of its questions: tries left? → was it sent, and does the class allow
 * another sending? → is the failure one that another try may not have? A failure that is proven to have
 * left nothing behind may be tried again in every class but `undeclared`.
 */
export function decideRetry(setting: RetrySetting): RetryDecision {
  const { failure } = setting;
  if (setting.cancelled || failure.kind === 'cancelled') return no('the caller gave up');
  if (setting.class === 'undeclared') return no('a tool without an entry is never sent again');
  if (setting.class === 'delegates') return no('the calls inside have their own retries');
  if (setting.tries >= setting.most) return no(`all ${setting.most} tries are used`);
  if (failure.effect === 'done') return no('it is done');
  if (
    failure.effect === 'unknown' &&
    !(setting.class === 'idempotent-write' && setting.keyProtects)
  ) {
    return no('it may have had its effect, and nothing protects a second sending');
  }
  return isPassing(failure) ? { retry: true } : no('another try would fail alike');
}

/** Failures of the way there, not of the request. */
function isPassing(failure: FailureFacts): boolean {
  switch (failure.kind) {
    case 'transport_lost':
    case 'timed_out':
      return true;
    case 'dependency_failed': {
      const { status } = failure.details;
      return status !== undefined && (status >= 500 || status === 408 || status === 409);
    }
    default:
      return false;
  }
}

function no(why: string): RetryDecision {
  return { retry: false, why };
}
