import { AsyncLocalStorage } from 'node:async_hooks';
import type { Guard, WarningCode } from '@holdfast/call-guard';
import { z } from 'zod';
import { isRecord } from '../message/message.js';
import type { Pinning } from '../pins/pinned-tools.js';
import { typedResult } from '../proxy/call-result.js';
import { declaredForm } from '../proxy/declared-form.js';
import { META } from '../proxy/meta.js';
import { readCallOptions, withinTimers } from './call-options.js';
import { CallWait } from './call-wait.js';
import { ClientLink } from './client-link.js';
import { aroundOf } from './enclosing-call.js';
import { interpose } from './interposed-transport.js';
import type { SdkClient, SdkMessage, SdkTransport } from './sdk.js';
import { allPages, type ListedTool, toolsOf } from './tool-pages.js';
import { wireError } from './wire-error.js';

export interface GuardedClientOptions {
  readonly guard: Guard;
  readonly server: string;
  readonly newTransport: (() => SdkTransport) | undefined;
  readonly pinning: Pinning | undefined;
}

/** A call on its way, for what is found out about it beside its answer. */
interface Ticket {
  error?: unknown;
}

/** Whatever a server answers: what is wrong with it the guard says, without losing it. */
const anyResult = z.looseObject({});

/** What takes the place of a client's own methods. They are functions of their own, and need no `this`. */
export class GuardedClient {
  readonly #own: Pick<SdkClient, 'connect' | 'close' | 'callTool' | 'listTools'>;
  readonly #interposed = new WeakSet<SdkTransport>();
  readonly #tickets = new AsyncLocalStorage<Ticket>();
  #link: ClientLink | undefined;
  #saidUnguarded = false;

  constructor(
    private readonly client: SdkClient,
    private readonly options: GuardedClientOptions,
  ) {
    this.#own = {
      connect: client.connect.bind(client),
      close: client.close.bind(client),
      callTool: client.callTool.bind(client),
      listTools: client.listTools.bind(client),
    };
    if (client.transport !== undefined) this.#interpose(client.transport);
  }

  readonly connect: SdkClient['connect'] = (transport, ...rest) => {
    this.#interpose(transport);
    return this.#own.connect(transport, ...rest);
  };

  readonly close: SdkClient['close'] = async () => {
    await this.#link?.end();
    await this.#own.close();
  };

  readonly callTool: SdkClient['callTool'] = async (params, ...rest) => {
    if (this.#isUnguarded()) return this.#own.callTool(params, ...rest);
    // Version 2 takes no schema; LangChain's adapters speak to both as to version 1.
    const isSecond = this.client.getProtocolEra !== undefined && rest.length < 2;
    const schema = isSecond ? undefined : rest[0];
    const options = readCallOptions(isSecond ? rest[0] : rest[1]);
    const ticket: Ticket = {};
    const wait = new CallWait(options, this.options.guard.adapter.clock);
    try {
      const result = await this.#tickets.run(ticket, () =>
        this.client.request(
          { method: 'tools/call', params: withDeadline(params, options.totalMs) },
          schema ?? anyResult,
          wait.requestOptions(),
        ),
      );
      return schema === undefined ? { content: [], ...(result as object) } : result;
    } catch (error) {
      const tool = String(params.name);
      const isRead = this.options.guard.registry.tools.get(tool)?.idempotency.class === 'read';
      const thrown = ticket.error === undefined ? error : wireError(tool, ticket.error);
      return wait.insteadOf(thrown, tool, isRead);
    } finally {
      wait.end();
    }
  };

  readonly listTools: SdkClient['listTools'] = async (params = {}, options = {}) => {
    if (this.#isUnguarded() || this.#hasNoTools()) return this.#own.listTools(params, options);
    const { cursor } = params;
    const readPage = (at: string | undefined): Promise<unknown> =>
      this.client.request(
        { method: 'tools/list', params: at === undefined ? params : { ...params, cursor: at } },
        anyResult,
        withinTimers(options),
      );
    if (typeof cursor === 'string') return this.#noted(onePage(await readPage(cursor), cursor));
    const listed = await allPages(readPage, () =>
      this.#warn('tools_unread', 'tools/list does not end: its cursor goes on'),
    );
    return this.#noted(listed);
  };

  #interpose(transport: SdkTransport): void {
    if (this.#interposed.has(transport)) return;
    this.#interposed.add(transport);
    const { guard, server, newTransport, pinning } = this.options;
    const options = {
      guard,
      server,
      newTransport,
      clock: guard.adapter.clock,
      around: (call: Parameters<typeof aroundOf>[0]) => {
        const ticket = this.#tickets.getStore();
        return aroundOf(call, guard, (error) => {
          if (ticket !== undefined) ticket.error = error;
        });
      },
      onStateless: () => this.#sayUnguarded(),
      toolForms: [declaredForm(guard.registry)],
      ...(pinning === undefined ? {} : { pinning }),
    };
    this.#link = interpose(transport, (carrier) => new ClientLink(carrier, options, transport));
  }

  /** The protocol without sessions is another one. */
  #isUnguarded(): boolean {
    if (this.client.getProtocolEra?.() !== 'modern') return false;
    this.#sayUnguarded();
    return true;
  }

  #sayUnguarded(): void {
    if (this.#saidUnguarded) return;
    this.#saidUnguarded = true;
    this.#warn('protocol_unguarded', `calls of ${this.options.server} pass unguarded`);
  }

  /** Version 2 asks no server for tools that says it has none. */
  #hasNoTools(): boolean {
    const { getProtocolEra, getServerCapabilities } = this.client;
    if (getProtocolEra === undefined) return false;
    return getServerCapabilities?.call(this.client)?.tools === undefined;
  }

  /** Tools that are declared can be asked by probes from now on. */
  #noted<T extends { readonly tools: readonly ListedTool[] }>(listed: T): T {
    const { adapter, registry } = this.options.guard;
    for (const { name } of listed.tools) {
      if (!registry.tools.has(name)) continue;
      adapter.registerExecutor(name, async (args) => {
        const result = await this.callTool({ name, arguments: args });
        return typedResult({ text: '', result });
      });
    }
    return listed;
  }

  #warn(code: WarningCode, message: string): void {
    const { adapter } = this.options.guard;
    adapter.emit('warning', { tenant: adapter.tenant, runId: '', intentId: '' }, { code, message });
  }
}

function onePage(page: unknown, cursor: string) {
  const { nextCursor, ...others } = isRecord(page) ? page : {};
  // A cursor that leads to itself would be followed for ever.
  const next = typeof nextCursor === 'string' && nextCursor !== cursor ? { nextCursor } : {};
  return { ...others, ...next, tools: toolsOf(page) };
}

/** The call with its caller's limit, where the guard looks for it. */
function withDeadline(params: SdkMessage, totalMs: number | undefined): SdkMessage {
  if (totalMs === undefined) return params;
  const meta = isRecord(params._meta) ? params._meta : {};
  const given = meta[META.deadlineMs];
  const leftMs = typeof given === 'number' ? Math.min(given, totalMs) : totalMs;
  return { ...params, _meta: { ...meta, [META.deadlineMs]: leftMs } };
}
