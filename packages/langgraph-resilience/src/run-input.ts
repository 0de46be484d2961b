import { canonicalJson, sha256 } from '@holdfast/tool-registry';
import {
  type BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
} from '@langchain/core/messages';
import { isCommand } from '@langchain/langgraph';
import { JsonPlusSerializer } from '@langchain/langgraph-checkpoint';
import type { InputToAdmit } from './run-lookup.js';
import { digestOf } from './turn.js';

/** An input that enters by `guard.run`, with what identifies it. */
export interface EnteringInput {
  /** What the graph is given: the same, its last human message with an id. */
  readonly graphInput: unknown;
  readonly id: string;
  readonly digest: string;
}

/** Undefined for `null` and commands: they continue a run. */
export function enteringInput(input: unknown, newId: () => string): EnteringInput | undefined {
  if (input === null || input === undefined || isCommand(input)) return undefined;
  const messages = messagesOfInput(input);
  const last = messages?.findLastIndex((message) => message.getType() === 'human') ?? -1;
  const human = messages?.[last];
  if (messages === undefined || human === undefined) {
    // No conversation: what is said is the whole input.
    return { graphInput: input, id: newId(), digest: digestOfAny(input) };
  }
  // The id by which the message is known from here on, in the state and in the ledger.
  if (human.id === undefined) {
    human.id = newId();
    // What is stored of a message is what it was made with; LangGraph's reducer writes both, too.
    human.lc_kwargs.id = human.id;
  }
  const graphInput = Array.isArray(input) ? messages : { ...(input as object), messages };
  return { graphInput, id: human.id, digest: digestOf(messages) };
}

function messagesOfInput(input: unknown): BaseMessage[] | undefined {
  const given: unknown =
    typeof input === 'object' && input !== null && 'messages' in input ? input.messages : undefined;
  if (given === undefined) return undefined;
  const list = Array.isArray(given) ? given : [given];
  try {
    return list.map((message: BaseMessageLike) => coerceMessageLikeToMessage(message));
  } catch {
    return undefined;
  }
}

function digestOfAny(input: unknown): string {
  try {
    return sha256(canonicalJson(JSON.parse(JSON.stringify(input) ?? 'null')));
  } catch {
    return sha256(String(input));
  }
}

const serializer = new JsonPlusSerializer();

/** An input as the ledger keeps it. */
export async function encodeInput(entering: EnteringInput): Promise<InputToAdmit['bytes']> {
  const [, bytes] = await serializer.dumpsTyped(entering.graphInput);
  return bytes;
}

export function decodeInput(bytes: Uint8Array): Promise<unknown> {
  return serializer.loadsTyped('json', bytes);
}
