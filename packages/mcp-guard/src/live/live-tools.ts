import type { Clock } from '@holdfast/call-guard';
import { isRecord, type Message, memberText, readMessages } from '../message/message.js';
import { salvage } from '../message/stray-output.js';
import { OwnRequests } from '../proxy/own-requests.js';
import type { SessionOptions } from '../proxy/session.js';
import { type KnownTool, ToolDirectory } from '../proxy/tool-directory.js';
import { UpstreamLost } from '../proxy/upstream.js';

/** What a live server says of itself and of its tools. */
export interface LiveTools {
  /** What it calls itself. */
  readonly name: string;
  readonly tools: readonly KnownTool[];
}

/** The newest version whose lists of tools are understood. */
const VERSION = '2025-11-25';

/**
 * Asks a server for its tools, and leaves it again.
 *
 * @param connect makes the way to it
 * @param log takes what it prints besides messages
 */
export async function liveTools(
  connect: SessionOptions['connect'],
  clock: Pick<Clock, 'alarm'>,
  log: (text: string) => void,
): Promise<{ readonly live: LiveTools } | { readonly problem: string }> {
  const onMessage = (line: string): readonly Message[] => {
    const read = readMessages(line);
    const { messages, noise } = read.length > 0 ? { messages: read, noise: '' } : salvage(line);
    if (noise !== '') log(`${noise}\n`);
    for (const message of messages) if (message.is === 'response') own.settle(message);
    return messages;
  };
  const upstream = connect({
    onMessage: (framed) => ('line' in framed ? onMessage(framed.line) : []),
    onUnanswered: (id, error) => void own.fail(id, error),
    onLost: (why) => own.lose(why),
    onRestarted: async () => {
      throw new UpstreamLost(false, 'it is not needed any more');
    },
    onPrinted: log,
  });
  const own: OwnRequests = new OwnRequests(upstream, 'live');
  try {
    const hello = {
      protocolVersion: VERSION,
      capabilities: {},
      clientInfo: { name: 'mcp-guard', version: VERSION },
    };
    const begun = await own.request('initialize', () => JSON.stringify(hello));
    if (begun.replied !== 'result') return { problem: 'the server refused to begin' };
    const method = 'notifications/initialized';
    upstream.send({ text: JSON.stringify({ jsonrpc: '2.0', method }), method }, 'in-turn');
    const directory = new ToolDirectory(own, clock, (_, message) => log(`${message}\n`));
    const tools = await directory.all();
    if (tools === undefined) return { problem: 'the server gave no list of its tools' };
    return { live: { name: nameIn(begun.text), tools } };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  } finally {
    await upstream.close();
  }
}

function nameIn(result: string): string {
  const said: unknown = JSON.parse(memberText(result, 'serverInfo') ?? '{}');
  return isRecord(said) && typeof said.name === 'string' ? said.name : 'server';
}
