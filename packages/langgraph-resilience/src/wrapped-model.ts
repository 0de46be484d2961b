import type { LanguageModelLike } from '@langchain/core/language_models/base';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  AIMessage,
  type BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  HumanMessage,
} from '@langchain/core/messages';
import { RunnableBinding } from '@langchain/core/runnables';
import { withEnd } from './cut-off.js';

/** One time that a model is asked. */
export interface Asking {
  /** What it is told. */
  readonly messages: readonly BaseMessage[];
  /** What is made of its message, or of a piece of it; of anything else, the same. */
  received<A>(answer: A, isPiece?: boolean): A;
  /** It has answered. */
  ended(): void;
}

/** What is done around each time that a model is asked. */
export interface Around {
  /** Marks the wrapped model, so that nobody wraps it again. */
  readonly brand: symbol;
  begin(messages: readonly BaseMessage[]): Promise<Asking>;
}

type ConfigurableModel = LanguageModelLike & {
  _getModelInstance(...given: unknown[]): Promise<BaseChatModel>;
};

/**
 * A model of the same kind with something done around each time that it is asked, and whatever tools or
 * settings are bound to it. The work is the model's own: only its doors are others. Undefined for what is
 * no chat model.
 */
export function wrappedModel<M extends LanguageModelLike>(model: M, around: Around): M | undefined {
  if (around.brand in model) return model;
  if (RunnableBinding.isRunnableBinding(model)) {
    const bound = wrappedModel(model.bound as LanguageModelLike, around);
    return bound === undefined ? undefined : derived(model, around, { bound });
  }
  if (isConfigurable(model)) {
    return derived(model, around, {
      ...rebinding(model, around),
      _getModelInstance: async (...given: unknown[]) => {
        const made = await model._getModelInstance(...given);
        return wrappedModel(made, around) ?? made;
      },
    });
  }
  return isChatModel(model) ? derived(model, around, doorsOf(model, around)) : undefined;
}

function derived<M extends LanguageModelLike>(
  model: M,
  { brand }: Around,
  own: Readonly<Record<string, unknown>>,
): M {
  const properties = Object.entries(own).map(([name, value]) => [name, { value }] as const);
  return Object.create(model, { [brand]: { value: true }, ...Object.fromEntries(properties) });
}

/** The ways in which a chat model is asked: `invoke` and `batch` end in `generate`. */
function doorsOf(model: BaseChatModel, around: Around): Readonly<Record<string, unknown>> {
  const generate: BaseChatModel['generate'] = async (lists, options, callbacks) => {
    const askings = await Promise.all(
      lists.map((list) => around.begin(list.map(coerceMessageLikeToMessage))),
    );
    const told = askings.map(({ messages }) => [...messages]);
    const result = await model.generate(told, options, callbacks);
    for (const [index, asking] of askings.entries()) {
      asking.ended();
      for (const generation of result.generations[index] ?? []) {
        if (!('message' in generation) || !AIMessage.isInstance(generation.message)) continue;
        const { message, generationInfo } = generation;
        message.response_metadata = withEnd(message, generationInfo);
        generation.message = asking.received(message);
      }
    }
    return result;
  };

  async function* streamIterator(
    ...[input, options]: Parameters<BaseChatModel['_streamIterator']>
  ): AsyncGenerator<unknown> {
    const asking = await around.begin(messagesOf(input));
    for await (const part of model._streamIterator([...asking.messages], options)) {
      // A model that cannot stream gives its message in one piece.
      yield asking.received(part, true);
    }
    asking.ended();
  }

  async function* streamEvents(
    ...[messages, ...more]: Parameters<BaseChatModel['_streamChatModelEvents']>
  ): AsyncGenerator<unknown> {
    const asking = await around.begin(messages);
    yield* model._streamChatModelEvents([...asking.messages], ...more);
    asking.ended();
  }

  return {
    generate,
    _streamIterator: streamIterator,
    _streamChatModelEvents: streamEvents,
    ...rebinding(model, around),
  };
}

/** Providers make a new model for tools and settings. */
function rebinding(model: object, around: Around): Readonly<Record<string, unknown>> {
  const names = ['bindTools', 'withConfig'].filter((name) => name in model);
  return Object.fromEntries(
    names.map((name) => [
      name,
      (...given: unknown[]): unknown => {
        const bound: LanguageModelLike = Reflect.apply(Reflect.get(model, name), model, given);
        return wrappedModel(bound, around) ?? bound;
      },
    ]),
  );
}

function messagesOf(input: Parameters<BaseChatModel['invoke']>[0]): readonly BaseMessage[] {
  if (typeof input === 'string') return [new HumanMessage(input)];
  if (Array.isArray(input)) {
    return input.map((message: BaseMessageLike) => coerceMessageLikeToMessage(message));
  }
  return input.toChatMessages();
}

function isChatModel(model: object): model is BaseChatModel {
  return '_modelType' in model && 'generate' in model && typeof model.generate === 'function';
}

/** LangChain's model whose provider is chosen by the config of each call. */
function isConfigurable(model: object): model is ConfigurableModel {
  return '_queuedMethodOperations' in model && '_getModelInstance' in model;
}
