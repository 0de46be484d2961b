import type { GateParts } from '../gate-parts.js';
import type { Stopped, Validated } from './call.js';
import { type Answer, type Choice, problemText, type Question, readAnswers } from './question.js';
import { subjectOf } from './subject.js';

/**
 * Asks a person about a call, and again while the answer cannot be. A pause until they have answered ends
 * the call's pass; nothing is written down for it.
 */
export async function askPerson(
  call: Pick<Validated, 'request' | 'host' | 'contract' | 'input'>,
  why: Question['why'],
  choices: readonly Choice[],
  parts: GateParts,
): Promise<Answer | Extract<Stopped, { at: 'paused' }>> {
  const { host, request, contract } = call;
  const { callId, tool } = request;
  const subject = subjectOf(call);
  let question: Question = {
    callId,
    kind: 'confirmation_required',
    tool,
    args: call.input,
    why,
    choices,
  };
  for (;;) {
    let given: unknown;
    try {
      given = await host.ask?.(question);
    } catch (thrown) {
      if (!host.suspends?.(thrown)) throw thrown;
      parts.emit('question_asked', subject, { kind: question.kind, why });
      return { at: 'paused', request, host, contract, thrown };
    }
    const read = await readAnswers(given, [question], parts.registry);
    const answer = 'answers' in read ? read.answers.get(callId) : undefined;
    if (answer !== undefined) {
      parts.emit('question_answered', subject, { decision: answer.decision });
      return answer;
    }
    if ('problems' in read) question = { ...question, problem: problemText(read.problems) };
  }
}
