import { type EventSink, guardedFetch } from '@holdfast/call-guard';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { createLangGraphGuard } from '@holdfast/langgraph-resilience';
import { guardMiddleware } from '@holdfast/langgraph-resilience/middleware';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';
import type { AgentOptions } from './agent-options.js';
import { orderDeskTools } from './tools.js';
import registry, { sentMails } from './tools.registry.js';

/** The stock agent with the guard: its middleware, its checkpointer, its fetch, and one more read. */
export function createGuardedAgent(
  options: AgentOptions,
  saver: BaseCheckpointSaver,
  setting: { ledger: string; events: readonly EventSink[] },
) {
  const guard = createLangGraphGuard({
    registry,
    ledger: sqliteLedger(setting.ledger),
    settings: { breakerConsecutive: 3 },
    events: setting.events,
    executors: {
      // How the guard asks whether a mail went out; the agent itself has no such tool.
      find_sent_mail: async ({ key }) => {
        const response = await guardedFetch(`${options.mail}/mails?key=${key}`);
        return sentMails.parse(await response.json());
      },
    },
  });
  const agent = createAgent({
    model: new ChatOpenAI({
      apiKey: 'none',
      model: 'scripted',
      configuration: { baseURL: `${options.model}/v1` },
    }),
    tools: orderDeskTools({
      ordersUrl: options.orders,
      mailUrl: options.mail,
      timeoutMs: Number(options.requestTimeoutMs),
      send: guardedFetch,
    }),
    middleware: [guardMiddleware(guard)],
    checkpointer: guard.checkpointer(saver),
  });
  return { guard, agent };
}
