import { inputJsonSchema, readableSchema } from '../readable-schema.js';
import type { AnyToolEntry } from '../tool-entry.js';
import type { DocsForm } from './docs-form.js';
import { toolDoc } from './tool-doc.js';

/** What a client reads before it has read the description. Hints: what is not known is left out. */
function annotations({ idempotency, sideEffect }: AnyToolEntry) {
  const silent = idempotency.class === 'read';
  return {
    readOnlyHint: silent,
    ...(idempotency.class === 'idempotent-write' && {
      idempotentHint: idempotency.repeat === 'collapse',
    }),
    ...(idempotency.class === 'irreversible' && { destructiveHint: true, idempotentHint: false }),
    ...(sideEffect === 'external' && { openWorldHint: true }),
  };
}

/** The arguments stand in `inputSchema`, so the description leaves them out. */
function description(entry: AnyToolEntry): string {
  const doc = toolDoc(entry);
  return [
    doc.summary,
    doc.useWhen && `Use it when: ${doc.useWhen}`,
    doc.avoidWhen && `Avoid it when: ${doc.avoidWhen}`,
    [doc.again, doc.failure, ...doc.failureNotes, doc.undo, doc.duration].filter(Boolean).join(' '),
    ...doc.examples.map(
      ({ call, note }) => `Example${note === undefined ? '' : ` (${note})`}: ${call}`,
    ),
  ]
    .filter(Boolean)
    .join('\n');
}

function tool(entry: AnyToolEntry) {
  const output = entry.output && readableSchema(entry.output);
  return {
    name: entry.name,
    description: description(entry),
    inputSchema: inputJsonSchema(entry),
    // A server may only promise objects.
    ...(output?.type === 'object' && { outputSchema: output }),
    annotations: annotations(entry),
  };
}

/** For an MCP server: what `tools/list` answers. */
export const mcp: DocsForm = {
  render: ({ tools }) => `${JSON.stringify({ tools: [...tools.values()].map(tool) }, null, 2)}\n`,
  tool: (entry) => JSON.stringify(tool(entry)),
};
