import type { Registry } from '@holdfast/tool-registry';
import { docsForms } from '@holdfast/tool-registry/docs';
import type { ToolForm } from './tool-list.js';

/**
 * Gives a declared tool the docs that are made from its entry: what it does, when to use it, what its failures mean,
 * and the arguments that the gate takes. What its results are stays the server's to say.
 */
export function declaredForm({ tools }: Pick<Registry, 'tools'>): ToolForm {
  return ({ name, text }) => {
    const entry = tools.get(name);
    if (entry === undefined) return text;
    const listed: { readonly outputSchema?: unknown } = JSON.parse(text);
    const { outputSchema } = listed;
    return JSON.stringify({
      ...listed,
      ...JSON.parse(docsForms.mcp.tool(entry)),
      ...(outputSchema === undefined ? {} : { outputSchema }),
    });
  };
}
