import type { EffectSeen, FailureFacts } from '../failure.js';
import { failed } from '../next-step.js';
import { causes } from './system.js';

/**
 * An HTTP status in an error: on the error itself or on its `response`, as the common clients put it.
 * `onError` is the effect that an error of the other side leaves behind, by the tool's class.
 */
export function httpFailure(error: unknown, onError: EffectSeen): FailureFacts | undefined {
  for (const cause of causes(error)) {
    const status = statusOf(cause);
    if (status !== undefined) return byStatus(status, messageOf(cause), onError, error);
  }
  return undefined;
}

function byStatus(
  status: number,
  message: string | undefined,
  onError: EffectSeen,
  cause: unknown,
): FailureFacts {
  const details = message === undefined ? { status } : { status, message };
  if (status === 401 || status === 403) return failed('auth_failed', 'none', { status }, cause);
  // 408: the server gave up waiting, perhaps after acting. 409: often an equal request in progress.
  if (status === 408 || status === 409 || status >= 500) {
    return failed('dependency_failed', onError, details, cause);
  }
  // Too many requests: refused before anything was done, and not the model's to fix.
  if (status === 425 || status === 429) return failed('dependency_failed', 'none', details, cause);
  return failed('business_error', 'none', details, cause);
}

function statusOf(error: object): number | undefined {
  for (const holder of [error, 'response' in error ? error.response : undefined]) {
    if (typeof holder !== 'object' || holder === null) continue;
    for (const name of ['status', 'statusCode']) {
      const status: unknown = name in holder ? Reflect.get(holder, name) : undefined;
      if (typeof status === 'number' && status >= 400 && status <= 599) return status;
    }
  }
  return undefined;
}

function messageOf(error: object): string | undefined {
  return 'message' in error && typeof error.message === 'string' ? error.message : undefined;
}
