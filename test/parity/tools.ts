/** The tools of the parity suite, and what is compared of their answers. */
import { ToolMessage } from '@langchain/core/messages';
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import { z } from 'zod';
import { asks } from '../support/scripted-model.js';

export const schema = z.object({ at: z.string() });
export const thread = { configurable: { thread_id: 'T1' } };

/** A tool of these tests: none of them has an entry. */
export function made(
  name: string,
  body: (args: { at: string }, config: never) => unknown,
  fields: object = {},
): StructuredToolInterface {
  return tool(body as never, { name, description: name, schema, ...fields }) as never;
}
export const look = made('look', async ({ at }) => `saw ${at}`);
export const call = (name: string, at: string, id: string) => ({ name, args: { at }, id });
export const asking = (...calls: ReturnType<typeof call>[]) => asks('m1', ...calls);

/** What of a message is compared: ids are made anew by both. */
const gist = (message: unknown) => {
  const { content, name, status, artifact, tool_call_id: id } = message as ToolMessage;
  return { content, name, status, artifact, id };
};
export const toolMessages = (messages: readonly unknown[]) =>
  messages.filter((message): message is ToolMessage => ToolMessage.isInstance(message)).map(gist);
