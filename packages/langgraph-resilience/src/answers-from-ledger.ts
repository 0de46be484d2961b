import type { CallAnswer, Run } from '@holdfast/call-guard';
import type { EffectKey } from '@holdfast/effect-ledger';
import type { ToolMessage } from '@langchain/core/messages';
import { isCommand } from '@langchain/langgraph';
import type { AdapterParts } from './adapter-parts.js';
import { flawOf } from './call-flaws.js';
import { isMessage } from './graph-messages.js';
import type { CallInHistory } from './history.js';
import { failureMessage, langGraphCodec, messageOf, presentAnswer } from './tool-result.js';
import { isToolMessage } from './turn.js';

/** An answer for a call that the conversation has none for. */
export interface AnswerFromLedger {
  readonly message: ToolMessage;
  /** The effect that it speaks of. */
  readonly key?: EffectKey;
}

/** What the ledger knows of calls that nobody answered. */
export function answersFromLedger(
  calls: readonly CallInHistory[],
  run: Run,
  parts: AdapterParts,
): Promise<readonly AnswerFromLedger[]> {
  return Promise.all(calls.map((call) => answerFromLedger(call, run, parts)));
}

async function answerFromLedger(
  { call, messageId, position, isLeftBehind }: CallInHistory,
  run: Run,
  { guard }: AdapterParts,
): Promise<AnswerFromLedger> {
  const { id = '', name, args } = call;
  const flaw = flawOf(call);
  const request = {
    tool: name,
    args,
    callId: id,
    place: { position, ...(messageId === undefined ? {} : { messageId }) },
    ...(flaw === undefined ? {} : { flaw }),
  };
  const by = isLeftBehind ? 'newer-input' : 'caller';
  const answer = await guard.recorded(request, { run, codec: langGraphCodec }, by);
  const key = answer.ok ? answer.key : answer.failure.idempotencyKey;
  return { message: messageFor(answer, { id, name }), ...(key === undefined ? {} : { key }) };
}

function messageFor(
  answer: CallAnswer<unknown>,
  call: { readonly id: string; readonly name: string },
): ToolMessage {
  if (!answer.ok) return failureMessage(answer.failure, call.id);
  const output = presentAnswer(answer, call);
  if (isMessage(output) && isToolMessage(output)) return output;
  // A command steers the graph; the model is told what it says of this call.
  const update = isCommand(output) ? output.update : undefined;
  const messages: unknown =
    typeof update === 'object' && update !== null ? Reflect.get(update, 'messages') : undefined;
  const said = Array.isArray(messages) ? messages.filter(isMessage).filter(isToolMessage) : [];
  return said.find(({ tool_call_id }) => tool_call_id === call.id) ?? messageOf('done', call);
}
