import type { BaseMessage } from '@langchain/core/messages';
import type { AdapterParts } from './adapter-parts.js';
import { isMessage } from './graph-messages.js';
import { beginModelTurn } from './model-turn.js';

/** A node of a graph whose state holds messages. */
export type ModelNode<S extends { readonly messages: readonly BaseMessage[] }, C, U> = (
  state: S,
  config: C,
) => U | Promise<U>;

/**
 * A node that asks a model, with what `guard.model` does done around the node: it is given a valid history,
 * and the messages of the model that it returns can be answered.
 */
export function guardModelNode<S extends { readonly messages: BaseMessage[] }, C, U>(
  node: ModelNode<S, C, U>,
  parts: AdapterParts,
): (state: S, config: C) => Promise<U> {
  return async (state, config) => {
    const { messages: shown } = state;
    const turn = await beginModelTurn({ shown, said: shown, isOurs: () => true }, parts);
    const update = await node({ ...state, messages: [...turn.messages] }, config);
    turn.ended();
    return mapMessages(update, turn.received);
  };
}

/** An update with each of its messages changed: one, a list, or a state that holds them. */
function mapMessages<U>(update: U, change: <A>(message: A) => A): U {
  if (isMessage(update)) return change(update);
  if (Array.isArray(update)) return update.map((one: unknown) => mapMessages(one, change)) as U;
  if (typeof update !== 'object' || update === null || !('messages' in update)) return update;
  return { ...update, messages: mapMessages(update.messages, change) };
}
