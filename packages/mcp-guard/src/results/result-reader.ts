import { sha256 } from '@holdfast/tool-registry';
import { z } from 'zod';
import type { SpillFolder } from './spill-folder.js';

/** How much of a text is given at once, in characters. */
const RANGE = { usual: 20_000, most: 100_000 };

const rangeSchema = z.strictObject({
  ref: z.string(),
  from: z.int().min(0).default(0),
  count: z.int().min(1).max(RANGE.most).default(RANGE.usual),
});

/** The tool that reads what results were too long to say. The guard's own: no server hears of it. */
export class ResultReader {
  readonly name: string;

  /**
   * @param server what it is called: two guards in a row have tools of two names, which stay the same
   * @param maxBytes how much a result may take, in bytes of JSON; absent: anything
   */
  constructor(
    private readonly folder: SpillFolder,
    server: string,
    private readonly maxBytes?: number,
  ) {
    this.name = `read_result_${sha256(server).slice(0, 8)}`;
  }

  /** As it stands in a list of tools. */
  get definition(): string {
    return JSON.stringify({
      name: this.name,
      title: 'Read a shortened result',
      description:
        'Reads a part of a result that was too long to be given as a whole. The result says its ref. Kept for a day.',
      inputSchema: {
        type: 'object',
        properties: {
          ref: { type: 'string', description: 'As the shortened result says it.' },
          from: { type: 'integer', minimum: 0, description: 'The first character. Default: 0.' },
          count: {
            type: 'integer',
            minimum: 1,
            maximum: RANGE.most,
            description: `How many characters. Default: ${RANGE.usual}.`,
          },
        },
        required: ['ref'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
  }

  keep(text: string): Promise<string | undefined> {
    return this.folder.keep(text);
  }

  /** The result of a call of it, as text. */
  async read(args: unknown): Promise<string> {
    const parsed = rangeSchema.safeParse(args);
    if (!parsed.success) {
      const problems = parsed.error.issues.map(
        ({ path, message }) => `${path.map(String).join('.')}: ${message}`,
      );
      return failed(`These arguments cannot be: ${problems.join('; ')}`);
    }
    const { ref, from, count } = parsed.data;
    // A character takes four bytes at most, but for the rare ones that are escaped.
    const most = this.maxBytes === undefined ? count : Math.floor(this.maxBytes / 4);
    const range = await this.folder.read(ref, from, Math.min(count, most));
    if (range === undefined) return failed('There is no such result, or it is not kept any more.');
    const end = range.from + range.text.length;
    const next = end < range.of ? ` Go on with ${JSON.stringify({ ref, from: end })}.` : '';
    const where = `[holdfast] Characters ${range.from} to ${end} of ${range.of}.${next}`;
    return JSON.stringify({
      content: [
        { type: 'text', text: range.text },
        { type: 'text', text: where },
      ],
    });
  }
}

function failed(text: string): string {
  return JSON.stringify({ content: [{ type: 'text', text }], isError: true });
}
