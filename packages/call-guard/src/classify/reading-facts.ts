import type { EffectClass } from '@holdfast/tool-registry';
import type { RequestNotes } from '../call-context.js';
import type { EffectSeen, FailureFacts } from '../failure.js';
import { foreignText } from '../foreign-text.js';
import { failed } from '../next-step.js';
import type { RateLimitSignal } from '../rate-limit-signal.js';
import type { Did, Reading } from './reading.js';

/** What is known of the attempt that a failure ended. */
export interface AttemptSetting {
  readonly class: EffectClass;
  readonly effectOnError: 'none' | 'unknown';
  readonly notes: RequestNotes;
  /** Wall-clock milliseconds: what moments in headers are counted from. */
  readonly wallMs: number;
}

/** What a reading is about. */
export interface About {
  readonly setting: AttemptSetting;
  readonly signals: readonly RateLimitSignal[];
  readonly status: number | undefined;
  readonly cause?: unknown;
}

/** A reading as the failure of this attempt. */
export function factsOf({ meaning, code, message: text }: Reading, about: About): FailureFacts {
  const { cause, setting } = about;
  const effect = effectOf(meaning.did, setting);
  const message = text === undefined ? undefined : foreignText(text);
  const status = about.status === undefined ? {} : { status: about.status };
  const said = {
    ...status,
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
  };
  const problems = [{ path: [], message: message ?? 'it is not what was promised' }];
  switch (meaning.kind) {
    case 'rate_limited':
      return failed(meaning.kind, effect, limitOf(about, code), cause);
    case 'overloaded':
      return failed(meaning.kind, effect, { ...limitOf(about, code), ...status }, cause);
    case 'auth_failed':
      return failed(meaning.kind, effect, { why: meaning.why, ...said }, cause);
    case 'business_error':
    case 'dependency_failed': {
      const transient = 'transient' in meaning ? { transient: meaning.transient } : {};
      return failed(meaning.kind, effect, { ...said, ...transient }, cause);
    }
    case 'transport_lost': {
      const sent = meaning.did !== 'unsent' || mayHaveSent(setting);
      return failed(meaning.kind, effect, { ...(code === undefined ? {} : { code }), sent }, cause);
    }
    case 'timed_out': {
      const { limit, afterMs } = meaning;
      return failed(meaning.kind, effect, { limit, afterMs, stillRunning: false }, cause);
    }
    case 'invalid_arguments':
    case 'result_invalid':
      return failed(meaning.kind, effect, { problems }, cause);
  }
}

/** How long, from whichever of the errors says it; else where the limit was read. */
function limitOf({ signals }: About, code: string | undefined): RateLimitSignal {
  const signal = signals.find(({ retryAfterMs }) => retryAfterMs !== undefined) ?? signals[0];
  return signal ?? { source: code ?? 'text' };
}

/** What an attempt that ended so left behind, by the tool's class. */
export function effectOf(did: Did, setting: AttemptSetting): EffectSeen {
  const isRead = setting.class === 'read' || setting.class === 'delegates';
  if (isRead) return 'none';
  switch (did) {
    case 'unsent':
      return mayHaveSent(setting) ? 'unknown' : 'none';
    case 'nothing':
      // A refusal speaks for its own request only: requests before it may have been acted on.
      return setting.notes.requestsSent > 1 ? setting.effectOnError : 'none';
    case 'done':
      return 'done';
    case 'unclear':
      return setting.effectOnError;
    case 'lost':
      return 'unknown';
  }
}

/**
 * Whether a tool that ended with a refused connection may have sent something before. The error speaks of
 * one request; only `guardedFetch` knows of all. Where it was not used, a tool that must never be sent twice
 * is not believed to have made one request only.
 */
function mayHaveSent({ class: effectClass, effectOnError, notes }: AttemptSetting): boolean {
  if (notes.requestsSent > 0) return true;
  return (
    effectClass === 'irreversible' && effectOnError === 'unknown' && notes.requestsRefused === 0
  );
}
