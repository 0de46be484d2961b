import { type Message, readMessages } from './message.js';

/** How many places of a line are tried. */
const MOST_TRIES = 32;

/** What a line holds that its writer should not have printed between messages, and the message behind it. */
export interface Salvaged {
  readonly noise: string;
  readonly messages: readonly Message[];
}

/**
 * A line of a server that prints to its standard output: noise alone, or noise without a newline with a
 * message glued to it.
 */
export function salvage(line: string): Salvaged {
  let at = line.indexOf('{"', 1);
  for (let tries = 0; at !== -1 && tries < MOST_TRIES; tries += 1) {
    const messages = readMessages(line.slice(at));
    if (messages.length > 0) return { noise: line.slice(0, at), messages };
    at = line.indexOf('{"', at + 1);
  }
  return { noise: line, messages: [] };
}

/** The id of a response of which only both ends are known. */
export function idBetween(head: string, tail: string): string | number | undefined {
  const found =
    /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/.exec(head) ??
    /^\s*\{\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/.exec(head) ??
    /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  const [, text] = found ?? [];
  if (text === undefined) return undefined;
  const id: unknown = JSON.parse(text);
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
