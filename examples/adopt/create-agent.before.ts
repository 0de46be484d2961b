import { MemorySaver } from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { model } from './scripted-model.js';
import { tools } from './tools.js';

export const agent = createAgent({
  model,
  tools,
  checkpointer: new MemorySaver(),
});
