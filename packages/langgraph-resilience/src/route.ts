import type { BaseMessage } from '@langchain/core/messages';
import { type END, Send } from '@langchain/langgraph';
import { openCalls } from './open-calls.js';

/** A state that a route can be asked about. */
export type StateWithMessages =
  | readonly BaseMessage[]
  | { readonly messages: readonly BaseMessage[] };

/**
 * A conditional edge that gives every open call of the model's newest message a task of its own, as
 * LangChain's agents do: what a call did is stored when it ends and not with its slowest sibling, and a
 * question to a person keeps its own place.
 */
export function routeTo<const Other extends string = typeof END>(
  toolNode: string,
  other: Other,
  newId: () => string,
): (state: StateWithMessages) => Send[] | Other {
  return (state) => {
    const messages: readonly BaseMessage[] = 'messages' in state ? state.messages : state;
    const open = openCalls(messages, newId);
    if (open === undefined || open.calls.length === 0) return other;
    return open.calls.map(
      (call) =>
        new Send(toolNode, { ...('messages' in state ? state : { messages }), lg_tool_call: call }),
    );
  };
}
