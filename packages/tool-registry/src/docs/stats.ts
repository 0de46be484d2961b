import type { Registry } from '../registry.js';
import type { DocsForm } from './docs-form.js';
import type { TokenCounter } from './token-counter.js';

/** What a registry's docs cost in tokens, tool by tool, in the registry's order. */
export interface DocsStats {
  /** How the tokens were counted. */
  readonly method: string;
  readonly tools: readonly { readonly tool: string; readonly tokens: number }[];
  /** The whole document, with what stands around the tools. */
  readonly total: number;
}

export function docsStats(registry: Registry, form: DocsForm, counter: TokenCounter): DocsStats {
  return {
    method: counter.method,
    tools: [...registry.tools.values()].map((entry) => ({
      tool: entry.name,
      tokens: counter.count(form.tool(entry)),
    })),
    total: counter.count(form.render(registry)),
  };
}

/** As a table for a terminal. */
export function statsTable({ method, tools, total }: DocsStats): string {
  const rows = [
    ...tools.map(({ tool, tokens }) => [tool, tokens] as const),
    ['total', total] as const,
  ];
  const name = Math.max(...rows.map(([tool]) => tool.length));
  const count = Math.max(...rows.map(([, tokens]) => `${tokens}`.length));
  return [
    ...rows.map(([tool, tokens]) => `${tool.padEnd(name)}  ${`${tokens}`.padStart(count)}`),
    `tokens ${method}`,
  ].join('\n');
}
