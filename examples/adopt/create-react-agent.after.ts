import { MemorySaver } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { guard } from './guard.js';
import { model } from './scripted-model.js';
import { tools } from './tools.js';

export const agent = createReactAgent({
  llm: guard.model(model),
  tools: guard.toolNode(tools),
  checkpointer: guard.checkpointer(new MemorySaver()),
});
