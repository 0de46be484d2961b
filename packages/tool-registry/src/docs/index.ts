/** The forms of generated docs. */
import type { DocsForm } from './docs-form.js';
import { json } from './json.js';
import { markdown } from './markdown.js';
import { mcp } from './mcp.js';
import { prompt } from './prompt.js';

export const docsForms = { markdown, prompt, mcp, json } as const satisfies Record<
  string,
  DocsForm
>;
