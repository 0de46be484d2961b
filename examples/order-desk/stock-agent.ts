import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { ChatOpenAI } from '@langchain/openai';
import { type AgentMiddleware, createAgent, toolRetryMiddleware } from 'langchain';
import type { AgentOptions } from './agent-options.js';
import { orderDeskTools } from './tools.js';

/** The agent as the framework's documentation has one build it: tools, retries, a checkpointer. */
export function createStockAgent(options: AgentOptions, checkpointer: BaseCheckpointSaver) {
  return createAgent({
    model: new ChatOpenAI({
      apiKey: 'none',
      model: 'scripted',
      configuration: { baseURL: `${options.model}/v1` },
    }),
    tools: orderDeskTools({
      ordersUrl: options.orders,
      mailUrl: options.mail,
      timeoutMs: Number(options.requestTimeoutMs),
    }),
    // Its type is declared with zod 3 and does not fit under exactOptionalPropertyTypes.
    middleware: [toolRetryMiddleware() as AgentMiddleware],
    checkpointer,
  });
}
