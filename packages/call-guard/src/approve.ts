import type { Decision } from '@holdfast/effect-ledger';
import { SetupError, type SetupProblem } from '@holdfast/tool-registry';
import type { Choice } from './call/question.js';
import type { Failure } from './failure.js';
import type { GateParts } from './gate-parts.js';
import { type StoppedCall, stoppedCall, stoppingKinds } from './stopped-calls.js';

/** What a person decides about a call that was stopped, where no question could be shown to them. */
export interface Approval {
  /** The run that the call belongs to; or its thread. */
  readonly runId?: string;
  readonly threadId?: string;
  readonly callId: string;
  /**
   * For a `confirmation_required` of what cannot be undone: `approve` or `reject`. For one of a repetition,
   * for `intent_conflict` and `fork_conflict`: `again` (do it once more), `reuse` (the result that there is)
   * or `reject`.
   */
  readonly decision: Choice;
  /** Who decided. */
  readonly by: string;
  readonly note?: string;
  /** The failure that the call was stopped with. Needed where another process stopped it. */
  readonly failure?: Failure;
}

const kinds = {
  approve: 'approved',
  reject: 'rejected',
  reuse: 'reuse',
  again: 'again',
} as const satisfies Record<Choice, Decision['kind']>;

/**
 * Writes down what a person decided about a call that was stopped. The next equal call of the run or thread
 * honors it, once, for as long as decisions hold. Resolves with the decision that stands: a rejection is
 * final.
 *
 * @throws SetupError `answer_invalid`
 */
export async function approve(
  approval: Approval,
  parts: Pick<GateParts, 'ledger' | 'clock' | 'limits' | 'emit' | 'stopped'>,
  tenant: string,
): Promise<Decision> {
  if (typeof approval !== 'object' || approval === null) {
    const fix = "give { threadId: 'T1', callId: 'c1', decision: 'approve', by: 'ann' }";
    throw new SetupError('answer_invalid', [{ field: 'approval', reason: 'it is no object', fix }]);
  }
  const { decision, by, note, failure } = approval;
  const call = failure === undefined ? parts.stopped.find(approval) : stoppedCall(failure);
  const [first, ...others] = problemsOf(approval, call);
  if (first !== undefined || call === undefined) {
    throw new SetupError('answer_invalid', [first ?? unknownCall(approval), ...others]);
  }
  const { runId, intentId, threadId, tool, callId, argsDigest } = call;
  const stands = await parts.ledger.decide({
    tenant,
    runId,
    tool,
    argsDigest,
    // Without the message: the model may ask again in another one.
    callId,
    kind: kinds[decision],
    by,
    ...(threadId === undefined ? {} : { threadId }),
    ...(note === undefined ? {} : { note }),
    ...(decision === 'reject' ? {} : { expiresAt: parts.clock.wallMs() + parts.limits.approvalMs }),
  });
  const subject = { tenant, runId, intentId, tool, callId };
  parts.emit('question_answered', threadId === undefined ? subject : { ...subject, threadId }, {
    decision,
  });
  return stands;
}

function problemsOf(approval: Approval, call: StoppedCall | undefined): readonly SetupProblem[] {
  const problems: SetupProblem[] = [];
  if (typeof approval.by !== 'string' || approval.by === '') {
    problems.push({ field: 'by', reason: 'nobody is named', fix: 'say who decided' });
  }
  if (approval.runId === undefined && approval.threadId === undefined && !approval.failure) {
    const fix = 'give the run or the thread of the call';
    problems.push({ field: 'runId', reason: 'neither runId nor threadId is given', fix });
  }
  if (call === undefined) return [...problems, unknownCall(approval)];
  const allowed = call.choices;
  if (!allowed.includes(approval.decision)) {
    const reason = `'${approval.decision}' does not settle ${call.kind}`;
    problems.push({ field: 'decision', reason, fix: `give one of ${allowed.join(', ')}` });
  }
  if (approval.callId !== call.callId) {
    const reason = `the failure is of call ${call.callId}`;
    problems.push({ field: 'callId', reason, fix: 'give the failure of this call' });
  }
  return problems;
}

function unknownCall({ callId, failure }: Approval): SetupProblem {
  return failure === undefined
    ? {
        field: 'callId',
        reason: `no call ${callId} waits for a person, as far as this process knows`,
        fix: 'give its failure too: from report.notDone, or the artifact of its message',
      }
    : {
        field: 'failure',
        reason: `${failure.kind} is not a person's to settle`,
        fix: `give a failure of kind ${stoppingKinds.join(', ')}`,
      };
}
