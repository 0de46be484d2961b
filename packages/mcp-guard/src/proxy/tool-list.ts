import { elementsOf, withMember } from '../message/json-text.js';
import { isRecord, memberText } from '../message/message.js';

/** A tool in a server's answer to `tools/list`. */
export interface ListedTool {
  readonly name: string;
  /** As the server wrote it. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** As it is written by now: the forms before may have changed it. */
  readonly text: string;
}

/** What a host sees of a tool: its text, or undefined where it must not see it at all. */
export type ToolForm = (tool: ListedTool) => string | undefined;

/**
 * A response to `tools/list` with each of its tools in the form that the host is to see. What no form changes
 * stays as the server wrote it, to the byte.
 */
export function withToolForms(response: string, forms: readonly ToolForm[]): string {
  const result = memberText(response, 'result');
  const tools = result === undefined ? undefined : memberText(result, 'tools');
  if (forms.length === 0 || result === undefined || tools?.startsWith('[') !== true)
    return response;
  const written = elementsOf(tools);
  const seen = written.flatMap((text) => {
    const formed = inForms(text, forms);
    return formed === undefined ? [] : [formed];
  });
  if (seen.length === written.length && seen.every((text, index) => text === written[index])) {
    return response;
  }
  return withMember(response, 'result', withMember(result, 'tools', `[${seen.join(',')}]`));
}

/** A response to `tools/list` with a tool of the guard's own behind the last one. */
export function withOwnTool(response: string, definition: string): string {
  const result = memberText(response, 'result');
  const tools = result === undefined ? undefined : memberText(result, 'tools');
  if (result === undefined || tools?.startsWith('[') !== true) return response;
  const next = memberText(result, 'nextCursor');
  if (next !== undefined && next !== 'null') return response;
  const all = [...elementsOf(tools), definition];
  return withMember(response, 'result', withMember(result, 'tools', `[${all.join(',')}]`));
}

function inForms(written: string, forms: readonly ToolForm[]): string | undefined {
  const definition: unknown = JSON.parse(written);
  // What is no tool is the host's to refuse.
  if (!isRecord(definition) || typeof definition.name !== 'string') return written;
  const { name } = definition;
  let text: string | undefined = written;
  for (const form of forms) {
    text = form({ name, definition, text });
    if (text === undefined) return undefined;
  }
  return text;
}
