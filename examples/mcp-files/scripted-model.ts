import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';

/** Stands for your model, without a network: it asks for one edit, twice at once, as models sometimes do. */
class ScriptedModel extends BaseChatModel {
  constructor(private readonly path: string) {
    super({});
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(_tools: readonly unknown[]): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const edits = [{ oldText: 'coffee', newText: 'coffee and coffee' }];
    const edit = {
      name: 'edit_file',
      args: { path: this.path, edits },
      type: 'tool_call' as const,
    };
    const message = messages.some((told) => ToolMessage.isInstance(told))
      ? new AIMessage('It is in your diary.')
      : new AIMessage({
          content: '',
          tool_calls: [1, 2].map((n) => ({ ...edit, id: `call_${n}` })),
        });
    return { generations: [{ text: message.text, message }] };
  }
}

/** @param path of the diary */
export function model(path: string): BaseChatModel {
  return new ScriptedModel(path);
}
