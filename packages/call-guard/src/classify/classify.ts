import type { EffectClass } from '@holdfast/tool-registry';
import type { RequestNotes } from '../call-context.js';
import type { EffectSeen, FailureFacts } from '../failure.js';
import { failed } from '../next-step.js';
import { isStatedFailure } from '../stated-failure.js';
import { httpFailure } from './http.js';
import { connectionFailure } from './system.js';

/** What is known about the attempt that an error ended. */
export interface ErrorSetting {
  readonly class: EffectClass;
  readonly effectOnError: 'none' | 'unknown';
  readonly notes: RequestNotes;
}

/**
 * Where a foreign error enters, once. Two facts decide the effect: the tool's class, and whether a
 * request can have left.
 */
export function classify(error: unknown, setting: ErrorSetting): FailureFacts {
  try {
    return read(error, setting);
  } catch {
    // An error that cannot even be read says nothing.
    const message = 'the tool threw something that cannot be read';
    return failed('dependency_failed', effectOf(setting), { message }, error);
  }
}

function read(error: unknown, setting: ErrorSetting): FailureFacts {
  if (isStatedFailure(error)) return error.facts;
  const onError = effectOf(setting);
  const connection = connectionFailure(error);
  if (connection !== undefined) {
    const sent = connection.sent || mayHaveSent(setting);
    const effect = sent ? onLoss(setting.class) : 'none';
    return failed('transport_lost', effect, { ...connection, sent }, error);
  }
  const http = httpFailure(error, onError);
  // A refusal speaks for its own request only: requests before it may have been acted on.
  if (http !== undefined) {
    return setting.notes.requestsSent > 1 && onError === 'unknown'
      ? failed('dependency_failed', onError, { message: 'refused after an earlier request' }, error)
      : http;
  }
  const message = error instanceof Error ? error.message : String(error);
  return failed('dependency_failed', onError, { message }, error);
}

/**
 * Whether a tool that ended with a refused connection may have sent something before. The error speaks of
 * one request; only `guardedFetch` knows of all. Where it was not used, a tool that must never be sent twice
 * is not believed to have made one request only.
 */
function mayHaveSent({ class: effectClass, effectOnError, notes }: ErrorSetting): boolean {
  if (notes.requestsSent > 0) return true;
  return (
    effectClass === 'irreversible' && effectOnError === 'unknown' && notes.requestsRefused === 0
  );
}

function effectOf(setting: ErrorSetting): EffectSeen {
  return isRead(setting.class) || setting.effectOnError === 'none' ? 'none' : 'unknown';
}

/** A lost connection is an unknown outcome whatever the entry says about errors. */
function onLoss(effectClass: EffectClass): EffectSeen {
  return isRead(effectClass) ? 'none' : 'unknown';
}

function isRead(effectClass: EffectClass): boolean {
  return effectClass === 'read' || effectClass === 'delegates';
}
