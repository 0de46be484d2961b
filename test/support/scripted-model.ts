import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';

/** What the model says next: a message, or a function of what it has been told. */
export type Saying = AIMessage | ((told: readonly BaseMessage[]) => AIMessage | Promise<AIMessage>);

/** One tool call that the model asks for. */
export interface Asked {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly id: string;
}

/** A model that says what it is told to say, in that order, and remembers what it was told. */
export class ScriptedModel extends BaseChatModel {
  readonly told: (readonly BaseMessage[])[] = [];

  constructor(private readonly sayings: readonly Saying[]) {
    super({});
  }

  override bindTools(): this {
    return this;
  }

  override _llmType(): string {
    return 'scripted';
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const saying = this.sayings[this.told.length];
    this.told.push([...messages]);
    if (saying === undefined) throw new Error(`the script ends after ${this.sayings.length} turns`);
    const message = typeof saying === 'function' ? await saying(messages) : saying;
    return { generations: [{ text: message.text, message }] };
  }
}

/** A message with tool calls. Its id tells it from the messages of other turns. */
export function asks(id: string, ...calls: readonly Asked[]): AIMessage {
  return new AIMessage({
    id,
    content: '',
    tool_calls: calls.map((call) => ({ ...call, type: 'tool_call' as const })),
  });
}

/** One call, in a message whose id is made from the call's. */
export function asksFor(name: string, args: Record<string, unknown>, id: string): AIMessage {
  return asks(`message of ${id}`, { name, args, id });
}

/** A message that ends the turn. */
export function says(text: string): AIMessage {
  return new AIMessage({ content: text });
}
