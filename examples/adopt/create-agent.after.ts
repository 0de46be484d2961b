import { guardMiddleware } from '@holdfast/langgraph-resilience/middleware';
import { MemorySaver } from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { guard } from './guard.js';
import { model } from './scripted-model.js';
import { tools } from './tools.js';

export const agent = createAgent({
  model,
  tools,
  middleware: [guardMiddleware(guard)],
  checkpointer: guard.checkpointer(new MemorySaver()),
});
