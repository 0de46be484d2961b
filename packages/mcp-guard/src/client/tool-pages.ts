import { isRecord } from '../message/message.js';

/** As many pages as are read: a cursor that goes on for longer leads nowhere. */
const MOST_PAGES = 64;

/** A tool as its server lists it. */
export type ListedTool = Readonly<Record<string, unknown>> & { readonly name: string };

/**
 * All tools of a server, each name once, over as many pages as there are. Stops at a cursor that was there before.
 *
 * @param readPage asks for the page at a cursor, for the first one without
 * @param onEndless told when the pages do not end
 */
export async function allPages(
  readPage: (cursor: string | undefined) => Promise<unknown>,
  onEndless: () => void,
): Promise<Readonly<Record<string, unknown>> & { readonly tools: readonly ListedTool[] }> {
  const tools = new Map<string, ListedTool>();
  const seen = new Set<string>();
  let first: Readonly<Record<string, unknown>> | undefined;
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    const { nextCursor, ...others } = isRecord(page) ? page : {};
    first ??= others;
    for (const tool of toolsOf(page)) if (!tools.has(tool.name)) tools.set(tool.name, tool);
    cursor = typeof nextCursor === 'string' ? nextCursor : undefined;
    if (cursor === undefined) break;
    if (seen.has(cursor) || seen.size + 1 >= MOST_PAGES) {
      onEndless();
      break;
    }
    seen.add(cursor);
  } while (cursor !== undefined);
  return { ...first, tools: [...tools.values()] };
}

/** What of a page is a tool. */
export function toolsOf(page: unknown): readonly ListedTool[] {
  const list: unknown = isRecord(page) ? page.tools : undefined;
  const tools: readonly unknown[] = Array.isArray(list) ? list : [];
  return tools.filter(
    (tool): tool is ListedTool => isRecord(tool) && typeof tool.name === 'string',
  );
}
