import { randomUUID } from 'node:crypto';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';

/** How often it asks for the charge when it gets no success: once more than is good. */
const MOST_ASKS = 2;

/**
 * A model that charges the account it is told to and says so. What it does follows from the conversation
 * alone; its call ids are new each time, like a provider's. It repeats what failed, whatever the failure
 * says: no turn of a model may get around the guard.
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
  const account = /\bacct-[\w-]+/.exec(messages[asked]?.text ?? '')?.[0] ?? 'nobody';
  const answers = messages.slice(asked).filter((message) => message.getType() === 'tool');
  const last = answers.at(-1);
  if (last !== undefined && !isError(last)) return new AIMessage(`${account} was charged.`);
  if (answers.length >= MOST_ASKS) return new AIMessage(`I cannot say about ${account}.`);
  const call = { id: `call_${randomUUID()}`, name: 'charge', args: { account, cents: 4_200 } };
  return new AIMessage({ content: '', tool_calls: [call] });
}

function isError(message: BaseMessage): boolean {
  return 'status' in message && message.status === 'error';
}
