import { randomUUID } from 'node:crypto';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { accountOf } from './crash-point.js';

/** How often it asks for a charge when it gets no success: once more than is good. */
const MOST_ASKS = 2;

/**
 * A model that charges the accounts it is told to, all in one message, and says so. What it does follows
 * from the conversation alone; its call ids are new each time, like a provider's. It repeats what failed,
 * whatever the failure says: no turn of a model may get around the guard.
 */
export class ScriptedModel extends BaseChatModel {
  constructor() {
    super({});
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = nextTurn(messages);
    return { generations: [{ text: message.text, message }] };
  }
}

function nextTurn(messages: readonly BaseMessage[]): AIMessage {
  const asked = messages.findLastIndex((message) => /^Charge /.test(message.text));
  const accounts = messages[asked]?.text.match(/\bacct-[\w-]+/g) ?? [];
  const answers = messages.slice(asked + 1).filter((message) => ToolMessage.isInstance(message));
  const answersOf = (account: string) =>
    answers.filter((answer) => accountOf(answer.tool_call_id) === account);
  const uncharged = accounts.filter(
    (account) => !answersOf(account).some((answer) => answer.status !== 'error'),
  );
  const toAsk = uncharged.filter((account) => answersOf(account).length < MOST_ASKS);
  if (toAsk.length > 0) {
    const calls = toAsk.map((account) => ({
      id: `call_${account}_${randomUUID().slice(0, 8)}`,
      name: 'charge',
      args: { account, cents: 4_200 },
    }));
    return new AIMessage({ content: '', tool_calls: calls });
  }
  return new AIMessage(
    uncharged.length === 0
      ? `${accounts.join(' and ')} charged.`
      : `I cannot say about ${uncharged.join(' and ')}.`,
  );
}
