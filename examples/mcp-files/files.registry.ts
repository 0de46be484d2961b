import { assumed, defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { z } from 'zod';

// What @modelcontextprotocol/server-filesystem can do. `mcp-guard draft` writes a first version of such a file.
const common = { resourceGroup: 'disk', owner: 'you@team', latency: assumed(5_000) } as const;
const path = z.string();

const reads = [
  ['list_allowed_directories', 'List the folders that may be used.', z.object({})],
  ['list_directory', 'List what is in a folder.', z.object({ path })],
  ['get_file_info', 'Tell size and times of a file.', z.object({ path })],
  [
    'read_text_file',
    'Read a text file.',
    z.object({ path, head: z.number().optional(), tail: z.number().optional() }),
  ],
  ['search_files', 'Find files by a pattern.', z.object({ path, pattern: z.string() })],
] as const;

const write = {
  ...common,
  // The server knows no keys and cannot be asked what it has done: nothing is sent again by itself.
  idempotency: { class: 'irreversible' },
  compensation: { tool: 'none', avoidBy: 'accept', reason: 'a file has no history' },
} as const;

export default defineRegistry({
  name: 'files',
  tools: [
    ...reads.map(([name, summary, input]) =>
      defineTool({ ...common, name, summary, input, idempotency: read() }),
    ),
    defineTool({
      ...write,
      name: 'write_file',
      summary: 'Write a file anew.',
      input: z.object({ path, content: z.string() }),
    }),
    defineTool({
      ...write,
      name: 'edit_file',
      summary: 'Replace passages of a file.',
      input: z.object({
        path,
        edits: z.array(z.object({ oldText: z.string(), newText: z.string() })),
      }),
    }),
    defineTool({
      ...write,
      name: 'create_directory',
      summary: 'Create a folder.',
      input: z.object({ path }),
    }),
    defineTool({
      ...write,
      name: 'move_file',
      summary: 'Move a file, or give it another name.',
      input: z.object({ source: path, destination: path }),
    }),
  ],
  resourceGroups: { disk: {} },
});
