import { inputJsonSchema, readableSchema } from '../readable-schema.js';
import type { AnyToolEntry } from '../tool-entry.js';
import type { DocsForm } from './docs-form.js';
import { toolDoc } from './tool-doc.js';

function tool(entry: AnyToolEntry) {
  const { version, idempotency, sideEffect, resourceGroup, owner, digest, output } = entry;
  const { arguments: _, failureNotes, ...doc } = toolDoc(entry);
  return {
    ...doc,
    failure: [doc.failure, ...failureNotes].join(' '),
    version,
    class: idempotency.class,
    sideEffect,
    resourceGroup,
    owner,
    digest,
    inputSchema: inputJsonSchema(entry),
    ...(output !== undefined && { outputSchema: readableSchema(output) }),
  };
}

/** For programs: everything that the other forms say, and the facts that dashboards group by. */
export const json: DocsForm = {
  render: ({ name, digest, tools }) =>
    `${JSON.stringify({ registry: name, digest, tools: [...tools.values()].map(tool) }, null, 2)}\n`,
  tool: (entry) => JSON.stringify(tool(entry)),
};
