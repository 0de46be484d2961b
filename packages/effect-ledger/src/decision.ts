/**
 * What a person decided about one call. Evidence that the call may run, or may not; never an effect. Bound
 * to the run, the call's place and its arguments: an approval of other arguments approves nothing.
 */
export interface Decision {
  readonly tenant: string;
  readonly runId: string;
  readonly threadId?: string;
  readonly tool: string;
  /** Digest of the identity arguments that were shown to the person. */
  readonly argsDigest: string;
  readonly messageId?: string;
  readonly callId?: string;
  /**
   * `approved`: it may run. `rejected`: it never runs. `edited`: it may run with the arguments of
   * `editedTo`. `reuse`: an earlier result answers it. `again`: it is a new wish.
   */
  readonly kind: 'approved' | 'rejected' | 'edited' | 'reuse' | 'again';
  /** Who decided: a user's name, or `person` where nobody knows. */
  readonly by: string;
  /** Wall-clock milliseconds by the store's clock. */
  readonly at: number;
  /** Wall-clock milliseconds by the store's clock; absent: it holds for as long as the run does. */
  readonly expiresAt?: number;
  readonly note?: string;
  /** Digest of the identity arguments that run instead. */
  readonly editedTo?: string;
}

/** A decision as it is handed in. */
export type NewDecision = Omit<Decision, 'at'>;

/**
 * What stands once `next` is handed in. A rejection is final for its call, whatever the arguments: a
 * rejected call never executes. Otherwise the latest counts, and saying the same again changes nothing.
 *
 * @param made the decisions of the run, oldest first
 */
export function afterDeciding(
  made: readonly Decision[],
  next: Decision,
): { readonly stands: Decision; readonly isNew: boolean } {
  const before = made.filter((decision) => callOf(decision) === callOf(next));
  const rejection = before.find(({ kind }) => kind === 'rejected');
  if (rejection !== undefined) return { stands: rejection, isNew: false };
  const last = before.findLast(({ argsDigest }) => argsDigest === next.argsDigest);
  return last !== undefined && saysTheSame(last, next)
    ? { stands: last, isNew: false }
    : { stands: next, isNew: true };
}

/**
 * The decisions that count, oldest first: for each call its rejection, or else the latest decision about
 * each list of arguments.
 */
export function standingDecisions(made: readonly Decision[]): readonly Decision[] {
  const rejected = new Set(made.filter(({ kind }) => kind === 'rejected').map(callOf));
  const latest = new Map(made.map((decision) => [aboutOf(decision), decision]));
  return made.filter((decision) =>
    rejected.has(callOf(decision))
      ? decision.kind === 'rejected'
      : latest.get(aboutOf(decision)) === decision,
  );
}

/** Which call. Where calls have no ids, equal arguments are all that tells. */
function callOf({ tenant, runId, tool, messageId, callId, argsDigest }: Decision): string {
  return JSON.stringify([tenant, runId, tool, messageId, callId ?? { argsDigest }]);
}

function aboutOf(decision: Decision): string {
  return JSON.stringify([callOf(decision), decision.argsDigest]);
}

function saysTheSame(a: Decision, b: Decision): boolean {
  return (
    a.kind === b.kind &&
    a.by === b.by &&
    a.expiresAt === b.expiresAt &&
    a.note === b.note &&
    a.editedTo === b.editedTo
  );
}
