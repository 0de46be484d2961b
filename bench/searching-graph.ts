import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import type { ToolNode } from '@langchain/langgraph/prebuilt';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { searchArguments } from './order-search.js';

/**
 * An agent whose model is a script: it asks for a search, reads the answer and asks for the next one, as
 * many steps as it is told. Each run is a thread of its own.
 */
export function searchingGraph(
  tools: ToolNode,
  checkpointer: BaseCheckpointSaver,
): (steps: number) => Promise<void> {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('ask', ({ messages }) => ({ messages: [asking(messages.length)] }))
    .addNode('tools', tools)
    .addEdge(START, 'ask')
    .addEdge('ask', 'tools')
    .addConditionalEdges('tools', ({ messages: [told, ...made] }) =>
      made.length < Number(told?.content) ? 'ask' : END,
    )
    .compile({ checkpointer });
  let threads = 0;
  return async (steps) => {
    threads += 1;
    const { messages } = await graph.invoke(
      { messages: [new HumanMessage(String(steps))] },
      { configurable: { thread_id: `thread ${threads}` } },
    );
    if (messages.length !== steps + 1) throw new Error(`it made ${messages.length - 1} steps`);
  };
}

function asking(turn: number): AIMessage {
  const call = { name: 'search_orders', args: searchArguments(turn), id: `call ${turn}` };
  return new AIMessage({ content: '', tool_calls: [{ ...call, type: 'tool_call' }] });
}
