import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolResult,
  CreateMessageResultSchema,
  type ElicitRequestFormParams,
  ElicitResultSchema,
  type LoggingMessageNotification,
  type ServerNotification,
  type ServerRequest,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { redPixel, silence } from './fixture-media.js';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
type Arguments = Readonly<Record<string, unknown>>;

interface FixtureTool {
  readonly description: string;
  readonly inputSchema?: Tool['inputSchema'];
  run(args: Arguments, extra: Extra): CallToolResult | Promise<CallToolResult>;
}

/** Between two things that a tool says while it works, in milliseconds. */
const PAUSE_MS = 50;

const text = (value: string) => ({ type: 'text', text: value }) as const;
const image = { type: 'image', data: redPixel, mimeType: 'image/png' } as const;

const oneText = (name: string): Tool['inputSchema'] => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
});

/** The tools that the conformance suite calls, by the names that it knows. */
export const fixtureTools: ReadonlyMap<string, FixtureTool> = new Map(
  Object.entries<FixtureTool>({
    test_simple_text: {
      description: 'Gives a text.',
      run: () => ({ content: [text('This is a simple text response for testing.')] }),
    },
    test_image_content: {
      description: 'Gives an image.',
      run: () => ({ content: [image] }),
    },
    test_audio_content: {
      description: 'Gives a sound.',
      run: () => ({ content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }] }),
    },
    test_embedded_resource: {
      description: 'Gives a resource.',
      run: () => ({
        content: [
          {
            type: 'resource',
            resource: {
              uri: 'test://embedded-resource',
              mimeType: 'text/plain',
              text: 'This is an embedded resource content.',
            },
          },
        ],
      }),
    },
    test_multiple_content_types: {
      description: 'Gives a text, an image and a resource.',
      run: () => ({
        content: [
          text('Multiple content types test:'),
          image,
          {
            type: 'resource',
            resource: {
              uri: 'test://mixed-content-resource',
              mimeType: 'application/json',
              text: JSON.stringify({ test: 'data', value: 123 }),
            },
          },
        ],
      }),
    },
    test_tool_with_logging: {
      description: 'Logs while it works.',
      async run(_, extra) {
        await log(extra, 'Tool execution started');
        await sleep(PAUSE_MS);
        await log(extra, 'Tool processing data');
        await sleep(PAUSE_MS);
        await log(extra, 'Tool execution completed');
        return { content: [text('Logged three times.')] };
      },
    },
    test_tool_with_progress: {
      description: 'Says how far it is.',
      async run(_, extra) {
        const progressToken = extra._meta?.progressToken;
        for (const progress of [0, 50, 100]) {
          if (progressToken !== undefined) {
            const params = { progressToken, progress, total: 100 };
            await extra.sendNotification({ method: 'notifications/progress', params });
          }
          // After the last one too: the SDK's client drops progress that comes together with the result.
          await sleep(PAUSE_MS);
        }
        return { content: [text('Went all the way.')] };
      },
    },
    test_error_handling: {
      description: 'Fails.',
      run: () => ({
        content: [text('This tool intentionally returns an error for testing')],
        isError: true,
      }),
    },
    test_sampling: {
      description: "Asks the client's model.",
      inputSchema: oneText('prompt'),
      async run({ prompt }, extra) {
        const params = {
          messages: [{ role: 'user' as const, content: text(String(prompt)) }],
          maxTokens: 100,
        };
        const request = { method: 'sampling/createMessage' as const, params };
        const { content } = await extra.sendRequest(request, CreateMessageResultSchema);
        const said = content.type === 'text' ? content.text : content.type;
        return { content: [text(`LLM response: ${said}`)] };
      },
    },
    test_elicitation: {
      description: "Asks the client's user.",
      inputSchema: oneText('message'),
      run: ({ message }, extra) =>
        ask(extra, String(message), {
          type: 'object',
          properties: {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          },
          required: ['username', 'email'],
        }),
    },
    test_elicitation_sep1034_defaults: {
      description: "Asks the client's user, with an answer proposed for each kind of field.",
      run: (_, extra) =>
        ask(extra, 'Is this right?', {
          type: 'object',
          properties: {
            name: { type: 'string', default: 'John Doe' },
            age: { type: 'integer', default: 30 },
            score: { type: 'number', default: 95.5 },
            status: {
              type: 'string',
              enum: ['active', 'inactive', 'pending'],
              default: 'active',
            },
            verified: { type: 'boolean', default: true },
          },
        }),
    },
    test_elicitation_sep1330_enums: {
      description: "Lets the client's user choose, in each way there is.",
      run: (_, extra) =>
        ask(extra, 'Which?', {
          type: 'object',
          properties: {
            untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
            titledSingle: { type: 'string', oneOf: titled('Option') },
            legacyEnum: {
              type: 'string',
              enum: ['opt1', 'opt2', 'opt3'],
              enumNames: ['Option One', 'Option Two', 'Option Three'],
            },
            untitledMulti: {
              type: 'array',
              items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
            },
            titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
          },
        }),
    },
    test_reconnection: {
      description: 'Lets the client come back for the answer, where it can.',
      async run(_, extra) {
        extra.closeSSEStream?.();
        await sleep(2 * PAUSE_MS);
        return { content: [text('Worth coming back for.')] };
      },
    },
    json_schema_2020_12_tool: {
      description: 'Has a schema with words of JSON Schema 2020-12.',
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
        additionalProperties: false,
      },
      run: (args) => ({ content: [text(JSON.stringify(args))] }),
    },
  }),
);

function titled(kind: string): { const: string; title: string }[] {
  return ['First', 'Second', 'Third'].map((title, index) => ({
    const: `value${index + 1}`,
    title: `${title} ${kind}`,
  }));
}

function log(extra: Extra, data: string): Promise<void> {
  const params: LoggingMessageNotification['params'] = { level: 'info', logger: 'fixture', data };
  return extra.sendNotification({ method: 'notifications/message', params });
}

async function ask(
  extra: Extra,
  message: string,
  requestedSchema: ElicitRequestFormParams['requestedSchema'],
): Promise<CallToolResult> {
  const request = { method: 'elicitation/create' as const, params: { message, requestedSchema } };
  const { action, content } = await extra.sendRequest(request, ElicitResultSchema);
  return {
    content: [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)],
  };
}
