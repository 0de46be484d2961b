import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { completionsOf, getPrompt, listPrompts } from './fixture-prompts.js';
import { readResource, resources, resourceTemplates } from './fixture-resources.js';
import { fixtureTools } from './fixture-tools.js';

/** A server with all that the public conformance suite asks for, for one session. */
export function fixtureServer(): Server {
  const server = new Server(
    { name: 'holdfast-conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...fixtureTools].map(([name, { description, inputSchema }]) => ({
      name,
      description,
      inputSchema: inputSchema ?? { type: 'object' as const, properties: {} },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const tool = fixtureTools.get(params.name);
    if (tool === undefined) {
      throw new McpError(ErrorCode.InvalidParams, `there is no tool ${params.name}`);
    }
    return tool.run(params.arguments ?? {}, extra);
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...resources] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [...resourceTemplates],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => readResource(params.uri));
  for (const schema of [SubscribeRequestSchema, UnsubscribeRequestSchema, SetLevelRequestSchema]) {
    server.setRequestHandler(schema, () => ({}));
  }
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: listPrompts() }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    getPrompt(params.name, params.arguments ?? {}),
  );
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => {
    const values = [...completionsOf(params.argument.value)];
    return { completion: { values, total: values.length, hasMore: false } };
  });
  return server;
}
