import { SetupError } from '@holdfast/tool-registry';
import type { LanguageModelLike } from '@langchain/core/language_models/base';
import type { BaseMessage } from '@langchain/core/messages';
import type { AdapterParts } from './adapter-parts.js';
import { messagesOf } from './graph-messages.js';
import { beginModelTurn } from './model-turn.js';
import { currentConfig } from './pregel-config.js';
import { wrappedModel } from './wrapped-model.js';

const GUARDED = Symbol.for('holdfast.guarded-model');
const WITH_ENDS = Symbol.for('holdfast.model-with-ends');

/**
 * A model of the same kind that is asked with a valid history, in a run that is written down, and whose
 * messages enter the conversation with calls that can be answered. Guarding is idempotent; tools and
 * settings are bound to it as to the model itself.
 *
 * @throws SetupError `option_out_of_range` for what is no chat model
 */
export function guardModel<M extends LanguageModelLike>(model: M, parts: AdapterParts): M {
  const guarded = wrappedModel(model, {
    brand: GUARDED,
    begin(shown) {
      // What somebody puts before the conversation, a system message say, is not what the user said.
      const said = messagesOf(currentConfig()) ?? shown;
      const isOurs = (name: string): boolean => name === '' || parts.toolNames.has(name);
      return beginModelTurn({ shown, said, isOurs }, parts);
    },
  });
  if (guarded !== undefined) return guarded;
  throw new SetupError('option_out_of_range', [
    {
      field: 'model',
      reason: 'it is no chat model, nor one with tools or settings bound to it',
      fix: 'guard each model before it is combined: guard.model(first).withFallbacks([guard.model(second)])',
    },
  ]);
}

export function isGuardedModel(model: unknown): boolean {
  return typeof model === 'object' && model !== null && GUARDED in model;
}

/** The model, with nothing added but how its messages ended, which LangChain may keep beside them. */
export function withEnds<M extends LanguageModelLike>(model: M): M {
  const asIs = { received: <A>(answer: A): A => answer, ended(): void {} };
  const begin = async (messages: readonly BaseMessage[]) => ({ messages, ...asIs });
  return wrappedModel(model, { brand: WITH_ENDS, begin }) ?? model;
}
