import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  response.end('a7');
});
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'approvals-'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('ACCOUNTS_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('LEDGER', join(folder, 'agent.db'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

/** Asks to close the account, then says that it is closed. */
class Model extends BaseChatModel {
  override bindTools(): this {
    return this;
  }
  override _llmType(): string {
    return 'scripted';
  }
  override async _generate(messages: BaseMessage[]) {
    const call = { name: 'close_account', args: { accountId: 'acc_7' }, id: 'c1' };
    const message = messages.some((one) => ToolMessage.isInstance(one))
      ? new AIMessage('It is closed.')
      : new AIMessage({ content: '', tool_calls: [{ ...call, type: 'tool_call' }] });
    return { generations: [{ text: message.text, message }] };
  }
}

it('an account is closed once a person has approved it, each part once', async () => {
  const { agentWith, answer, ask } = await import('./approvals.js');
  const agent = agentWith(new Model({}));
  const questions = await ask(agent, 'Close my account.');
  expect(questions).toMatchObject([
    {
      callId: 'c1',
      tool: 'close_account',
      value: { type: 'holdfast', questions: [{ args: { accountId: 'acc_7' } }] },
    },
  ]);
  expect(asked).toEqual([]);
  expect(await answer(agent, 'c1')).toContain('Done: close_account.');
  expect(asked).toEqual(['/archive/acc_7', '/close/acc_7']);
});
