import type { Registry } from '../registry.js';
import type { AnyToolEntry } from '../tool-entry.js';
import { allFailures, isAmbiguous } from './behavior.js';
import type { DocsForm } from './docs-form.js';
import { type ArgumentDoc, type ToolDoc, toolDoc } from './tool-doc.js';

function argumentLine(argument: ArgumentDoc): string {
  const { name, takes, required, description, default: fallback } = argument;
  const presence = required ? '' : fallback === undefined ? ', optional' : `, default ${fallback}`;
  return `- ${name} (${takes}${presence})${description === undefined ? '' : `: ${description}`}`;
}

function argumentLines({ arguments: given }: ToolDoc): readonly string[] {
  if (typeof given === 'string') return [`Arguments: ${given}`];
  return given.map(argumentLine);
}

function block(entry: AnyToolEntry): string {
  const doc = toolDoc(entry);
  return [
    `## ${doc.name}`,
    doc.summary,
    doc.useWhen && `Use it when: ${doc.useWhen}`,
    doc.avoidWhen && `Avoid it when: ${doc.avoidWhen}`,
    ...argumentLines(doc),
    // How failures look stands once, at the head.
    [doc.again, ...doc.failureNotes, doc.undo, doc.duration].filter(Boolean).join(' '),
    ...doc.examples.map(
      ({ call, note }) => `Example${note === undefined ? '' : ` (${note})`}: ${call}`,
    ),
  ]
    .filter(Boolean)
    .join('\n');
}

function head({ tools }: Registry): string {
  return [...tools.values()].some(isAmbiguous) ? `# Tools\n${allFailures}` : '# Tools';
}

/** For the model, as part of a system prompt: short, and static so that it can be cached. */
export const prompt: DocsForm = {
  render: (registry) =>
    `${[head(registry), ...[...registry.tools.values()].map(block)].join('\n\n')}\n`,
  tool: block,
};
