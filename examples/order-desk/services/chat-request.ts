import { z } from 'zod';

const content = z.union([z.string(), z.array(z.object({ text: z.string().default('') }))]);

const chatMessage = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer', 'user']), content }),
  z.object({
    role: z.literal('assistant'),
    tool_calls: z
      .array(
        z.object({
          id: z.string(),
          function: z.object({ name: z.string(), arguments: z.string() }),
        }),
      )
      .default([]),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content }),
]);
export type ChatMessage = z.infer<typeof chatMessage>;

/** The parts of `POST /v1/chat/completions` that the scripted model reads. */
export const chatRequest = z.object({
  model: z.string(),
  messages: z.array(chatMessage),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().default(false) }).nullish(),
});

/** A message's text, whether it came as a string or in parts. */
export function textOf(body: z.infer<typeof content>): string {
  return typeof body === 'string' ? body : body.map((part) => part.text).join('');
}
