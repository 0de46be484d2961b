import type { BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { PregelConfig } from './pregel-config.js';
import { isRecord } from './record.js';
import { scratchpadOf } from './scratchpad.js';

/** The messages that the task was given; undefined where its state is of another kind. */
export function messagesOf(config: RunnableConfig | undefined): readonly BaseMessage[] | undefined {
  const pregel: PregelConfig = config ?? {};
  const input = scratchpadOf(config)?.currentTaskInput;
  return messagesIn(pregel.state) ?? messagesIn(input);
}

export function messagesIn(state: unknown): readonly BaseMessage[] | undefined {
  if (Array.isArray(state) && state.every(isMessage)) return state;
  if (!isRecord(state) || !Array.isArray(state.messages)) return undefined;
  return state.messages.every(isMessage) ? state.messages : undefined;
}

export function isMessage(value: unknown): value is BaseMessage {
  return isRecord(value) && typeof value.getType === 'function';
}
