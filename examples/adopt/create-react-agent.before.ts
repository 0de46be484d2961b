import { MemorySaver } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { model } from './scripted-model.js';
import { tools } from './tools.js';

export const agent = createReactAgent({
  llm: model,
  tools,
  checkpointer: new MemorySaver(),
});
