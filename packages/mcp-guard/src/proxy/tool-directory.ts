import type { Clock, WarningCode } from '@holdfast/call-guard';
import { isRecord } from '../message/message.js';
import { SchemaCompiler } from '../schema/schema-compiler.js';
import { ToolSchemas } from '../schema/tool-schemas.js';
import { type OwnRequests, type Purpose, purposeUntil } from './own-requests.js';
import { aliasOf, mayBeAlias } from './tool-alias.js';

/** What the guard has to know of a server's tool. */
export interface KnownTool {
  readonly name: string;
  /** As the server wrote it. */
  readonly definition: Readonly<Record<string, unknown>>;
  readonly schemas: ToolSchemas;
}

type DirectoryWarning = Extract<WarningCode, 'tools_unread' | 'schema_unusable'>;

/** As many pages as are read: a cursor that goes on for longer leads nowhere. */
const MOST_PAGES = 64;

/** How long a list is waited for, in milliseconds: a server that does not give one holds no call up. */
const PATIENCE_MS = 10_000;

/** The tools of a server, as it lists them itself. */
export class ToolDirectory {
  readonly #compiler = new SchemaCompiler();
  #tools: Promise<ReadonlyMap<string, KnownTool> | undefined> | undefined;
  /** The last list that was read; what has changed since may not be in it. */
  #read: ReadonlyMap<string, KnownTool> | undefined;
  /** The same while nothing has changed. */
  #current: ReadonlyMap<string, KnownTool> | undefined;

  constructor(
    private readonly own: OwnRequests,
    private readonly clock: Pick<Clock, 'alarm'>,
    private readonly onWarning: (code: DirectoryWarning, message: string) => void,
    private readonly onRead: (definitions: readonly KnownTool['definition'][]) => void = () => {},
  ) {}

  /** The list has changed. */
  forget(): void {
    this.#tools = undefined;
    this.#current = undefined;
  }

  /** A tool of this name, where it is in the list and need not be waited for. */
  known(name: string): KnownTool | undefined {
    return this.#current?.get(name);
  }

  /** A tool of this name, looked for once more where it is not there. Undefined: the server cannot tell. */
  async find(name: string): Promise<{ readonly tool: KnownTool | undefined } | undefined> {
    const known = await this.#load();
    if (known === undefined || known.has(name)) return known && { tool: known.get(name) };
    this.forget();
    const now = await this.#load();
    return now && { tool: now.get(name) };
  }

  /** What is known of a tool by now. Where nothing is, the server is asked, and not waited for. */
  peek(name: string): KnownTool | undefined {
    void this.#load();
    return this.#read?.get(name);
  }

  /** All of them; undefined where the server cannot tell. */
  async all(): Promise<readonly KnownTool[] | undefined> {
    const tools = await this.#load();
    return tools && [...tools.values()];
  }

  /** The own name of the tool that a host calls by this name, which may be its alias. */
  async ownNameOf(name: string): Promise<string> {
    if (!mayBeAlias(name)) return name;
    const found = await this.find(name);
    if (found === undefined || found.tool !== undefined) return name;
    return (await this.names()).find((own) => aliasOf(own) === name) ?? name;
  }

  async names(): Promise<readonly string[]> {
    return [...((await this.#load())?.keys() ?? [])];
  }

  #load(): Promise<ReadonlyMap<string, KnownTool> | undefined> {
    if (this.#tools !== undefined) return this.#tools;
    const tools = this.#readInTime();
    this.#tools = tools;
    void tools.then((read) => {
      if (this.#tools === tools) this.#current = read;
    });
    return tools;
  }

  async #readInTime(): Promise<ReadonlyMap<string, KnownTool> | undefined> {
    const patience = new AbortController();
    const cancelAlarm = this.clock.alarm(PATIENCE_MS, true, () => patience.abort());
    try {
      this.#read = await this.#readAll(purposeUntil(patience.signal));
      return this.#read;
    } catch {
      return undefined;
    } finally {
      cancelAlarm();
    }
  }

  async #readAll(purpose: Purpose): Promise<ReadonlyMap<string, KnownTool> | undefined> {
    const tools = new Map<string, KnownTool>();
    const cursors = new Set<string>();
    let cursor: string | undefined;
    do {
      purpose.signal.throwIfAborted();
      const params = JSON.stringify(cursor === undefined ? {} : { cursor });
      const reply = await this.own.request('tools/list', () => params, { purpose });
      if (reply.replied !== 'result') return undefined;
      const page: unknown = JSON.parse(reply.text);
      for (const tool of this.#toolsOf(page)) if (!tools.has(tool.name)) tools.set(tool.name, tool);
      const next: unknown = isRecord(page) ? page.nextCursor : undefined;
      cursor = typeof next === 'string' ? next : undefined;
      if (cursor !== undefined && (cursors.has(cursor) || cursors.size >= MOST_PAGES)) {
        this.onWarning(
          'tools_unread',
          `tools/list does not end: ${tools.size} tools were read and the cursor goes on`,
        );
        cursor = undefined;
      } else if (cursor !== undefined) cursors.add(cursor);
    } while (cursor !== undefined);
    this.onRead([...tools.values()].map(({ definition }) => definition));
    return tools;
  }

  #toolsOf(page: unknown): readonly KnownTool[] {
    const list: unknown = isRecord(page) ? page.tools : undefined;
    const tools: readonly unknown[] = Array.isArray(list) ? list : [];
    const unusable = (message: string) => this.onWarning('schema_unusable', message);
    return tools.flatMap((definition) => {
      if (!isRecord(definition) || typeof definition.name !== 'string') return [];
      const schemas = new ToolSchemas(definition, this.#compiler, unusable);
      return [{ name: definition.name, definition, schemas }];
    });
  }
}
