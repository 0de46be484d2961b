import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';

const refund = { name: 'refund', args: { invoiceId: 'inv_7', cents: 500 } };

/**
 * Stands for your model, without a network: it asks for one refund and, as models do, asks again when
 * it hears of an error. Like a model it knows nothing but the conversation.
 */
class ScriptedModel extends BaseChatModel {
  constructor() {
    super({});
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(_tools: readonly unknown[]): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const answers = messages.filter((message) => ToolMessage.isInstance(message));
    const refunded = answers.some(({ status }) => status !== 'error');
    const message =
      refunded || answers.length === 2
        ? new AIMessage(refunded ? 'It is refunded.' : 'I cannot say whether it is refunded.')
        : new AIMessage({
            content: '',
            tool_calls: [{ ...refund, id: `call_${answers.length + 1}`, type: 'tool_call' }],
          });
    return { generations: [{ text: message.text, message }] };
  }
}

export const model = new ScriptedModel();
