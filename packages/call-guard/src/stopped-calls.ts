import type { Choice } from './call/question.js';
import type { Failure } from './failure.js';

/** The failures that a person's decision may end. */
export const stoppingKinds = ['confirmation_required', 'intent_conflict', 'fork_conflict'] as const;

/** A call that was stopped until a person says something. */
export interface StoppedCall {
  readonly kind: (typeof stoppingKinds)[number];
  /** What a person may say. */
  readonly choices: readonly Choice[];
  readonly tool: string;
  readonly callId: string;
  readonly runId: string;
  readonly intentId: string;
  readonly threadId?: string;
  /** Digest of the identity arguments: what is decided is bound to them. */
  readonly argsDigest: string;
}

/** How many stopped calls are remembered; the failure itself tells of others. */
const MOST_STOPPED = 1_000;

/** The calls that this process stopped and that a person may still let run. */
export class StoppedCalls {
  #stopped: readonly StoppedCall[] = [];

  note(call: StoppedCall): void {
    this.#stopped = [...this.#stopped.slice(1 - MOST_STOPPED), call];
  }

  find({
    runId,
    threadId,
    callId,
  }: {
    readonly runId?: string;
    readonly threadId?: string;
    readonly callId: string;
  }): StoppedCall | undefined {
    return this.#stopped.findLast(
      (call) =>
        call.callId === callId &&
        (runId === undefined || call.runId === runId) &&
        (threadId === undefined || call.threadId === threadId),
    );
  }
}

/** A failure that a person's decision may end; undefined for all others. */
export function stoppedCall(failure: Failure): StoppedCall | undefined {
  switch (failure.kind) {
    case 'confirmation_required':
    case 'intent_conflict':
    case 'fork_conflict':
      return {
        kind: failure.kind,
        choices: choicesFor(failure),
        tool: failure.tool,
        callId: failure.callId,
        runId: failure.runId,
        intentId: failure.intentId,
        argsDigest: failure.details.argsDigest,
        ...(failure.threadId === undefined ? {} : { threadId: failure.threadId }),
      };
    default:
      return undefined;
  }
}

function choicesFor(failure: Failure<(typeof stoppingKinds)[number]>): readonly Choice[] {
  return failure.kind === 'confirmation_required' && failure.details.why === 'irreversible'
    ? ['approve', 'reject']
    : ['again', 'reuse', 'reject'];
}
