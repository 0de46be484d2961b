import type { Guard } from '@holdfast/call-guard';
import { SetupError, type SetupProblem } from '@holdfast/tool-registry';
import { readLock } from '@holdfast/tool-registry/lock';
import { isRecord } from '../message/message.js';
import type { Pinning } from '../pins/pinned-tools.js';
import { GuardedClient } from './guarded-client.js';
import { isSdkClient, type SdkTransport } from './sdk.js';

export interface GuardClientOptions {
  /** The guard through which calls go; the LangGraph guard of the same program, where there is one. */
  readonly guard: Guard;
  /** What the server is called; its effects belong to this name. */
  readonly server: string;
  /**
   * Makes the way to the server anew when it is lost, or when the server has forgotten the session. Default:
   * none; the client is told that its connection is closed.
   */
  readonly transport?: () => AnyTransport;
  /**
   * Holds the server's tools against those that a person has reviewed. What changed, is new or gone is told in a
   * `tool_changed` warning; with `block` it is not called either, and not listed but as it was reviewed. Default:
   * nothing is.
   */
  readonly pinned?: {
    /** The text of the lock file that `tool-registry lock --mcp` writes. */
    readonly lock: string;
    readonly policy: Pinning['policy'];
  };
}

/** A client that {@link guardClient} takes, of either version of the SDK. */
export interface AnyClient {
  connect(...given: never[]): Promise<void>;
  close(): Promise<void>;
  callTool(...given: never[]): Promise<unknown>;
  listTools(...given: never[]): Promise<unknown>;
}

/** A transport of either version of the SDK. */
export interface AnyTransport {
  start(): Promise<void>;
  close(): Promise<void>;
}

const GUARDED = Symbol.for('holdfast.guarded-client');

/**
 * Guards the tool calls of an MCP client, connected or not, of either version of the SDK. The client stays the
 * same object; its calls go through the guard's gate: written down before they are sent, sent again only where
 * that is safe, bounded in time, their late answers kept. Inside of a run of the same guard a call belongs to that
 * run; outside of one an equal call within a short while is the same one, as in `mcp-guard`.
 *
 * `callTool` gives a result also for what the guard refuses: `isError`, a text for the model, and what
 * {@link failureOf} reads. It rejects for an error of the protocol, and with the signal's reason. `timeout` bounds
 * the whole call; without one the tool's entry does, and 10 minutes. `listTools` gives all pages at once.
 *
 * What speaks a protocol version that the guard does not know passes unguarded, with one `protocol_unguarded` warning.
 *
 * @returns the same client
 * @throws SetupError `option_out_of_range`
 * @example
 * const client = guardClient(new Client({ name: 'agent', version: '1' }), { guard, server: 'files' })
 * await client.connect(new StdioClientTransport({ command: 'files-server' }))
 * const tools = await loadMcpTools('files', client)
 */
export function guardClient<C extends AnyClient>(client: C, options: GuardClientOptions): C {
  const { guard, server, transport, pinned } = checked(options);
  const sdk: unknown = client;
  if (!isSdkClient(sdk)) throw wrong(notClient);
  if (GUARDED in client) return client;
  const guarded = new GuardedClient(sdk, {
    guard,
    server,
    newTransport: transport as (() => SdkTransport) | undefined,
    pinning: pinned === undefined ? undefined : pinningOf(pinned, guard),
  });
  // Own functions, for whoever calls them on a proxy of the client.
  Object.defineProperty(client, GUARDED, { value: true });
  Object.assign(client, {
    connect: guarded.connect,
    close: guarded.close,
    callTool: guarded.callTool,
    listTools: guarded.listTools,
  });
  return client;
}

const notClient: SetupProblem = {
  field: 'client',
  reason: 'it is no client of the MCP SDK',
  fix: "give a Client of '@modelcontextprotocol/sdk' 1 or '@modelcontextprotocol/client' 2",
};

/** Programs in JavaScript have no types to tell. */
function checked(options: GuardClientOptions): GuardClientOptions {
  const { guard, server, transport, pinned }: Partial<GuardClientOptions> = isRecord(options)
    ? options
    : {};
  if (!isRecord(guard) || !('adapter' in guard)) {
    throw wrong({ field: 'guard', reason: 'it is no guard', fix: 'give what createGuard returns' });
  }
  if (typeof server !== 'string' || server === '') {
    throw wrong({ field: 'server', reason: 'it is no name', fix: "give one, such as 'files'" });
  }
  if (transport !== undefined && typeof transport !== 'function') {
    const fix = 'give a function that makes a transport, or leave it out';
    throw wrong({ field: 'transport', reason: 'it is no function', fix });
  }
  return {
    guard,
    server,
    ...(transport === undefined ? {} : { transport }),
    ...(pinned === undefined ? {} : { pinned }),
  };
}

/** Outside of enforcing nothing is blocked. */
function pinningOf(
  { lock, policy }: NonNullable<GuardClientOptions['pinned']>,
  { adapter }: Guard,
): Pinning {
  if (policy !== 'warn' && policy !== 'block') {
    const reason = `${JSON.stringify(policy)} is no policy`;
    throw wrong({ field: 'pinned.policy', reason, fix: 'use warn or block' });
  }
  const fix =
    'give the text of the file that tool-registry lock --mcp "<command of the server>" writes';
  const read = readLock(String(lock));
  if ('problem' in read) throw wrong({ field: 'pinned.lock', reason: read.problem, fix });
  const { server } = read.lock;
  if (server === undefined) {
    throw wrong({ field: 'pinned.lock', reason: 'it locks no live server', fix });
  }
  return { tools: server.tools, policy: adapter.mode() === 'enforce' ? policy : 'warn' };
}

function wrong(problem: SetupProblem): SetupError {
  return new SetupError('option_out_of_range', [problem]);
}
