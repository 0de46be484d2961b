import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { fixtureTools } from './fixture-tools.js';

/** What a client that can do all has to say that it can. */
export const capabilities = { sampling: {}, elicitation: {} };

/** Lets a client answer what the server asks it, and keeps what it hears. */
export function listening(client: Client): readonly unknown[] {
  const heard: unknown[] = [];
  client.setRequestHandler(CreateMessageRequestSchema, ({ method, params }) => {
    heard.push({ method, params });
    return { model: 'm', role: 'assistant', content: { type: 'text', text: 'four' } };
  });
  client.setRequestHandler(ElicitRequestSchema, ({ method, params }) => {
    heard.push({ method, params });
    return { action: 'accept', content: { username: 'u', email: 'u@example.com' } };
  });
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ method, params }) => {
    heard.push({ method, params });
  });
  return heard;
}

/** Everything there is to do with the fixture, once, and what came of it, in its order. */
export async function useAll(client: Client): Promise<readonly unknown[]> {
  const progress: unknown[] = [];
  const answers: unknown[] = [client.getServerVersion(), client.getServerCapabilities()];
  const keep = async (answer: Promise<unknown>): Promise<void> => {
    answers.push(await answer.catch((error: unknown) => ({ error: String(error) })));
  };
  await keep(client.ping());
  await keep(client.setLoggingLevel('debug'));
  await keep(client.listTools());
  for (const [name, { inputSchema }] of fixtureTools) {
    const wanted = inputSchema?.required ?? [];
    const params = { name, arguments: Object.fromEntries(wanted.map((one) => [one, 'who?'])) };
    await keep(
      client.callTool(params, undefined, { onprogress: (step) => void progress.push(step) }),
    );
  }
  await keep(client.listResources());
  await keep(client.listResourceTemplates());
  for (const uri of ['test://static-text', 'test://static-binary', 'test://template/7/data']) {
    await keep(client.readResource({ uri }));
  }
  await keep(client.readResource({ uri: 'test://nothing' }));
  await keep(client.subscribeResource({ uri: 'test://watched-resource' }));
  await keep(client.unsubscribeResource({ uri: 'test://watched-resource' }));
  await keep(client.listPrompts());
  await keep(
    client.getPrompt({
      name: 'test_prompt_with_arguments',
      arguments: { arg1: 'hello', arg2: 'world' },
    }),
  );
  await keep(client.getPrompt({ name: 'test_prompt_with_image' }));
  await keep(
    client.complete({
      ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
      argument: { name: 'arg1', value: 'par' },
    }),
  );
  return [...answers, progress];
}
