import { buildReport, type CallEnd, type Failure } from '@holdfast/call-guard';
import type { BaseMessage } from '@langchain/core/messages';
import { isAIMessage, isToolMessage, turnOf } from './turn.js';

/**
 * How the calls of the newest turn ended before this invocation, as the conversation holds it: what a run
 * that goes on has to report beside what it does now.
 */
export function endsOfTurn(messages: readonly BaseMessage[]): readonly CallEnd[] {
  const turn = messages.slice(
    messages.findLastIndex((message) => message.getType() === 'human') + 1,
  );
  const tools = new Map(
    turn
      .filter(isAIMessage)
      .flatMap(({ tool_calls: calls = [] }) =>
        calls.map(({ id, name }) => [id ?? '', name] as const),
      ),
  );
  return turn.filter(isToolMessage).map(({ tool_call_id: callId, artifact }) => ({
    tool: tools.get(callId) ?? '',
    callId,
    ...(isFailure(artifact) ? { failure: artifact } : {}),
  }));
}

/**
 * Whether the conversation shows that the turn of this human message came to its end with everything done:
 * a closing answer, and no failure that nothing made good.
 */
export function isMadeGood(messages: readonly BaseMessage[], inputId: string): boolean {
  const turn = turnOf(messages, inputId);
  const last = turn.at(-1);
  if (last === undefined || !isAIMessage(last) || (last.tool_calls ?? []).length > 0) return false;
  const facts = { runId: '', intentId: '', effects: [], interrupted: false, threw: false };
  return buildReport({ ...facts, ends: endsOfTurn(turn) }).status === 'complete';
}

/** What `failureMessage` put there, perhaps in another process. */
export function isFailure(artifact: unknown): artifact is Failure {
  return (
    typeof artifact === 'object' &&
    artifact !== null &&
    ['kind', 'effect', 'tool', 'callId', 'forUser', 'intentId'].every(
      (field) => typeof Reflect.get(artifact, field) === 'string',
    )
  );
}
