import { memoryLedger } from '@holdfast/effect-ledger';
import { createLangGraphGuard } from '@holdfast/langgraph-resilience';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { MemorySaver } from '@langchain/langgraph';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ownFlow, ownGraph } from './own-graph.js';
import registry from './tools.registry.js';

/** Asks for the same refund twice, then ends. */
class Insistent extends BaseChatModel {
  override _llmType(): string {
    return 'insistent';
  }
  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const answered = messages.filter((message) => message.getType() === 'tool').length;
    const args = { invoiceId: 'inv_7', cents: 500, note: `attempt ${answered}` };
    const call = { type: 'tool_call' as const, name: 'refund', args, id: 'call_0' };
    const message =
      answered < 2
        ? new AIMessage({ content: '', tool_calls: [call] })
        : new AIMessage('It is refunded.');
    return { generations: [{ text: message.text, message }] };
  }
}

it.each([
  ['a graph of one`s own', ownGraph],
  ['a flow of tasks', ownFlow],
])('%s pays once what its model asks for twice', async (_, make) => {
  let paid = 0;
  const refund = tool(
    async () => {
      paid += 1;
      return { paid };
    },
    {
      name: 'refund',
      description: 'Pay an amount back.',
      schema: z.object({ invoiceId: z.string(), cents: z.number(), note: z.string() }),
    },
  );
  const guard = createLangGraphGuard({ registry, ledger: memoryLedger() });
  const agent = make({
    guard,
    model: new Insistent({}),
    tools: [refund],
    saver: new MemorySaver(),
  });
  const { output, report } = await guard.run(
    agent,
    { messages: [new HumanMessage('Refund invoice inv_7.')] },
    { configurable: { thread_id: 'T1' } },
  );
  expect(paid).toBe(1);
  expect(report.status).toBe('complete');
  expect(output?.messages.at(-1)?.text).toBe('It is refunded.');
});
