import type { Decision, LedgerStore, NewDecision, Place } from '@holdfast/effect-ledger';

/** Which call a decision may be about. */
export interface DecidedCall {
  readonly tool: string;
  readonly argsDigest: string;
  readonly place: Place;
}

/** What a decision says, apart from the call that it is about. */
export type Said = Pick<NewDecision, 'kind' | 'by' | 'note' | 'expiresAt' | 'editedTo'>;

/**
 * What people have decided about the calls of a run and its thread. A decision that names a message is
 * about the call of that message alone. One without, which was made by `guard.approve`, holds for the next
 * equal calls of the thread too.
 */
export class Decisions {
  #made: readonly Decision[] = [];
  #loaded: Promise<void> | undefined;

  constructor(
    private readonly ledger: LedgerStore,
    private readonly run: {
      readonly tenant: string;
      readonly runId: string;
      readonly threadId?: string;
    },
  ) {}

  /** Reads the ledger once. */
  load(): Promise<void> {
    this.#loaded ??= this.refresh().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  /** Reads the ledger again: people decide in other processes. */
  async refresh(): Promise<void> {
    const { tenant, runId, threadId } = this.run;
    this.#made = await this.ledger.decisions(
      threadId === undefined ? { tenant, runId } : { tenant, threadId },
    );
  }

  /** Writes down what was decided about a call of this run; resolves with what stands. */
  async decide({ tool, argsDigest, place }: DecidedCall, said: Said): Promise<Decision> {
    const { tenant, runId, threadId } = this.run;
    const { messageId, callId } = place;
    const stands = await this.ledger.decide({
      tenant,
      runId,
      tool,
      argsDigest,
      ...(threadId === undefined ? {} : { threadId }),
      ...(messageId === undefined ? {} : { messageId }),
      ...(callId === undefined ? {} : { callId }),
      ...said,
    });
    await this.refresh();
    return stands;
  }

  /** That the call must never run: it was refused itself, or this run was refused an equal one. */
  rejectionOf(call: DecidedCall, nowMs: number): Decision | undefined {
    return this.#made.findLast(
      (decision) =>
        decision.kind === 'rejected' &&
        decision.tool === call.tool &&
        (this.#isOf(call, decision) ||
          (decision.runId === this.run.runId &&
            decision.argsDigest === call.argsDigest &&
            !this.#isOverruled(decision, call, nowMs))),
    );
  }

  /** What lets the call run with these arguments, newest first. */
  consentsTo(call: DecidedCall, nowMs: number): readonly Decision[] {
    return this.#made
      .filter(
        (decision) =>
          consented(decision) === call.argsDigest &&
          decision.tool === call.tool &&
          isInForce(decision, nowMs) &&
          this.#reaches(call, decision),
      )
      .reverse();
  }

  /** What was decided about the very call with these arguments, among `kinds`. */
  aboutItself(
    call: DecidedCall,
    kinds: readonly Decision['kind'][],
    nowMs: number,
  ): Decision | undefined {
    return this.#made.findLast(
      (decision) =>
        kinds.includes(decision.kind) &&
        decision.argsDigest === call.argsDigest &&
        isInForce(decision, nowMs) &&
        this.#isOf(call, decision),
    );
  }

  /** How a conflict of the call with something that began at `sinceMs` is to be settled. */
  settling(call: DecidedCall, sinceMs: number, nowMs: number): Decision | undefined {
    return this.#made.findLast(
      (decision) =>
        (decision.kind === 'reuse' || decision.kind === 'again') &&
        decision.messageId === undefined &&
        decision.tool === call.tool &&
        decision.argsDigest === call.argsDigest &&
        // What was decided before it began was used up by it.
        decision.at > sinceMs &&
        isInForce(decision, nowMs),
    );
  }

  /** That a person changed the arguments of an equal call of this run, and what they became. */
  editsAway(call: DecidedCall): readonly Decision[] {
    return this.#made.filter(
      (decision) =>
        decision.kind === 'edited' &&
        decision.runId === this.run.runId &&
        decision.tool === call.tool &&
        decision.argsDigest === call.argsDigest,
    );
  }

  /** The very call; where its conversation has no ids for messages, its id within the run. */
  #isOf({ tool, place }: DecidedCall, decision: Decision): boolean {
    return (
      decision.tool === tool &&
      decision.callId !== undefined &&
      decision.callId === place.callId &&
      (decision.messageId === undefined || place.messageId === undefined
        ? decision.runId === this.run.runId
        : decision.messageId === place.messageId)
    );
  }

  #reaches(call: DecidedCall, decision: Decision): boolean {
    return decision.messageId === undefined || this.#isOf(call, decision);
  }

  /** A person who allows it later has changed their mind. */
  #isOverruled(rejection: Decision, call: DecidedCall, nowMs: number): boolean {
    return this.consentsTo(call, nowMs).some(({ at }) => at >= rejection.at);
  }
}

/** Digest of the arguments that a decision lets run. */
function consented({ kind, argsDigest, editedTo }: Decision): string | undefined {
  switch (kind) {
    case 'approved':
    case 'again':
      return argsDigest;
    case 'edited':
      return editedTo;
    case 'rejected':
    case 'reuse':
      return undefined;
  }
}

function isInForce({ expiresAt }: Decision, nowMs: number): boolean {
  return expiresAt === undefined || nowMs < expiresAt;
}
