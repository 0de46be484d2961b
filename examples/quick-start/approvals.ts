import { currentCall, guardedFetch } from '@holdfast/call-guard';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { createLangGraphGuard, type PendingInterrupt } from '@holdfast/langgraph-resilience';
import { guardMiddleware } from '@holdfast/langgraph-resilience/middleware';
import { defineRegistry, defineTool } from '@holdfast/tool-registry';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { tool } from '@langchain/core/tools';
import { Command, MemorySaver } from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { z } from 'zod';

const accounts = process.env.ACCOUNTS_URL ?? 'http://localhost:8080';
const input = z.object({ accountId: z.string() });

const registry = defineRegistry({
  name: 'accounts',
  resourceGroups: { accounts: {} },
  tools: [
    defineTool({
      name: 'close_account',
      summary: 'Close an account for good.',
      input,
      idempotency: { class: 'irreversible' },
      // Each call waits until a person has approved it.
      compensation: { tool: 'none', avoidBy: 'confirm', reason: 'a closed account stays closed' },
      resourceGroup: 'accounts',
      owner: 'accounts@team',
    }),
  ],
});

async function post(path: string): Promise<string> {
  const response = await guardedFetch(accounts + path, { method: 'POST' });
  if (response.ok) return response.text();
  throw Object.assign(new Error(await response.text()), { status: response.status });
}

const closeAccount = tool(
  async ({ accountId }) => {
    // Each part is done once, however often the tool is entered.
    const archive = await currentCall()?.step('archive', () => post(`/archive/${accountId}`));
    await currentCall()?.step('close', () => post(`/close/${accountId}`));
    return `closed; archived as ${archive}`;
  },
  { name: 'close_account', description: 'Close an account for good.', schema: input },
);

export const guard = createLangGraphGuard({
  registry,
  ledger: sqliteLedger(process.env.LEDGER ?? 'agent.db'),
});

export function agentWith(model: BaseChatModel) {
  return createAgent({
    model,
    tools: [closeAccount],
    middleware: [guardMiddleware(guard)],
    checkpointer: guard.checkpointer(new MemorySaver()),
  });
}

type Agent = ReturnType<typeof agentWith>;
const config = { configurable: { thread_id: 'T1' } };

/** What a person has to decide: each question with the id of its call, the tool and its arguments. */
export async function ask(agent: Agent, request: string): Promise<readonly PendingInterrupt[]> {
  const { interrupts } = await guard.run(agent, { messages: request }, config);
  return interrupts;
}

/** Their answer, for one call or several; in another process, tomorrow, if you like. */
export async function answer(agent: Agent, callId: string): Promise<string> {
  const resume = { [callId]: { decision: 'approve', by: 'ann', note: 'checked' } };
  const { report } = await guard.run(agent, new Command({ resume }), config);
  return report.text.forUser;
}
