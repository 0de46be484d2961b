import { MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { toolsCondition } from '@langchain/langgraph/prebuilt';
import { guard } from './guard.js';
import { model } from './scripted-model.js';
import { tools } from './tools.js';

const withTools = guard.model(model).bindTools(tools);

export const agent = new StateGraph(MessagesAnnotation)
  .addNode('agent', async ({ messages }) => ({ messages: [await withTools.invoke(messages)] }))
  .addNode('tools', guard.toolNode(tools))
  .addEdge(START, 'agent')
  .addConditionalEdges('agent', toolsCondition)
  .addEdge('tools', 'agent')
  .compile({ checkpointer: guard.checkpointer(new MemorySaver()) });
