import {
  createGuard,
  currentRun,
  type Execute,
  type Guard,
  type GuardOptions,
  WITHOUT,
} from '@holdfast/call-guard';
import {
  type ArgsOf,
  type Entry,
  type Registry,
  type ResultOf,
  SetupError,
  type ToolName,
} from '@holdfast/tool-registry';
import type { LanguageModelLike } from '@langchain/core/language_models/base';
import type { BaseMessage } from '@langchain/core/messages';
import { type DynamicStructuredTool, tool } from '@langchain/core/tools';
import { END, type Send } from '@langchain/langgraph';
import type { ToolNode } from '@langchain/langgraph/prebuilt';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { AdapterParts } from './adapter-parts.js';
import { AskedCalls } from './asked-calls.js';
import { guardSaver } from './checkpointer/saver.js';
import { Stamps } from './checkpointer/stamps.js';
import { type EffectSince, effectsSince } from './effects-since.js';
import { type AnyTool, guardTool } from './guarded-tool.js';
import { HandOvers } from './hand-overs.js';
import { guardModel } from './model.js';
import { guardModelNode, type ModelNode } from './model-node.js';
import { resumeRun } from './resume.js';
import { routeTo, type StateWithMessages } from './route.js';
import {
  type Config,
  type Input,
  type Invokable,
  type Limited,
  type Output,
  type RunResult,
  type RunStream,
  runGraph,
  type Streamable,
  streamGraph,
} from './run.js';
import { RunLookup } from './run-lookup.js';
import { failureInThread } from './stopped-call.js';
import { GuardedToolNode, type ToolNodeOptions } from './tool-node.js';

export interface LangGraphGuardOptions<R extends Registry> extends GuardOptions<R> {
  /**
   * What an irreversible call does where no checkpoint can be waited for: `rely-on-key` (default, said
   * once as a warning) or `refuse`.
   */
  readonly onNoBarrier?: 'rely-on-key' | 'refuse';
  /**
   * How a person is asked: by `interrupt` (default, where there is a checkpointer), or by a `message` to the
   * model with the failure; then `guard.approve` decides.
   */
  readonly ask?: 'interrupt' | 'message';
  /** Whether a run's input is kept in the ledger, to resume a run that lost its checkpoint. Default: true. */
  readonly storeInput?: boolean;
}

/** A guard with LangGraph's face. */
export interface LangGraphGuard<R extends Registry = Registry> extends Guard<R> {
  /** Tools of the same kind, schema and name that end in the gate. */
  tools<const T extends readonly AnyTool[]>(tools: T): { -readonly [K in keyof T]: T[K] };
  /** A LangChain tool made from its entry: name, summary and schema are not said twice. */
  implement<const N extends ToolName<R>>(
    name: N,
    execute: Execute<ArgsOf<R, N>, ResultOf<R, N>>,
  ): DynamicStructuredTool<Entry<R, N>['input'], ArgsOf<R, N>, unknown, ResultOf<R, N>, unknown, N>;
  /**
   * LangGraph's tool node with its tools guarded, wherever that one goes: `createReactAgent({ tools })`, a
   * graph of one's own. Every call of a turn gets its answer; a failure is one, too.
   *
   * @throws SetupError `executor_missing`
   * @example new StateGraph(MessagesAnnotation).addNode('tools', guard.toolNode(tools))
   */
  toolNode(tools: readonly AnyTool[], options?: ToolNodeOptions): ToolNode;
  /**
   * The same model, asked with a valid history in a run that is written down, wherever a model goes:
   * `createReactAgent({ llm })`, `createAgent({ model })`, a node of one's own. Beside `guardMiddleware` it
   * is not needed. A model that one streams oneself (`model.stream`) gives its calls as they come.
   *
   * @throws SetupError `option_out_of_range` for what is no chat model
   * @example createReactAgent({ llm: guard.model(model), tools: guard.toolNode(tools) })
   */
  model<M extends LanguageModelLike>(model: M): M;
  /**
   * A node that asks a model, with the same done around it, for models that nothing else can reach.
   *
   * @example graph.addNode('agent', guard.modelNode(async ({ messages }) => ({ messages: [await ask(messages)] })))
   */
  modelNode<S extends { readonly messages: BaseMessage[] }, C, U>(
    node: ModelNode<S, C, U>,
  ): (state: S, config: C) => Promise<U>;
  /**
   * A conditional edge that sends each tool call to a task of its own, and goes to `other` (default: the
   * end) where there is none.
   *
   * @example graph.addConditionalEdges('agent', guard.route('tools'), ['tools', END])
   */
  route<const Other extends string = typeof END>(
    toolNode: string,
    other?: Other,
  ): (state: StateWithMessages) => Send[] | Other;
  /** The same saver, with the effect barrier, stamps and resume knowledge. */
  checkpointer<S extends BaseCheckpointSaver>(saver: S): S;
  /** Runs a graph and reports. With `null` or a `Command` it continues the thread. */
  run<G extends Invokable>(
    graph: G,
    input: Input<G>,
    config: Config<G>,
  ): Promise<RunResult<Output<G>>>;
  /** As `run`, streaming what the graph streams; the report comes as `result`. */
  stream<G extends Streamable>(
    graph: G,
    input: Parameters<G['stream']>[0],
    config: NonNullable<Parameters<G['stream']>[1]> & Limited,
  ): RunStream;
  /**
   * Continues after a crash, whatever was lost. On a finished thread it reports, and calls nothing.
   *
   * @throws SetupError `input_invalid` without a `thread_id`
   */
  resume<G extends Invokable>(graph: G, config: Config<G>): Promise<RunResult<Output<G>>>;
  /**
   * What was done in a thread from a checkpoint on, on whichever course of the conversation, oldest first:
   * what a fork or a replay from there leaves behind. Takes nothing back.
   *
   * @param checkpointId as `graph.getStateHistory` gives it
   */
  effectsSince(threadId: string, checkpointId: string): Promise<readonly EffectSince[]>;
  /** For `guardMiddleware`. */
  readonly parts: AdapterParts;
}

/**
 * Makes a guard for LangGraph and LangChain agents.
 *
 * @throws SetupError `option_out_of_range`
 * @example
 * const guard = createLangGraphGuard({ registry, ledger: sqliteLedger('agent.db') })
 * const agent = createAgent({ model, tools: guard.tools(tools), checkpointer: guard.checkpointer(saver) })
 * const { report } = await guard.run(agent, { messages: 'hi' }, { configurable: { thread_id: 'T1' } })
 */
export function createLangGraphGuard<R extends Registry>(
  options: LangGraphGuardOptions<R>,
): LangGraphGuard<R> {
  checkFace(options);
  return faceOf(createGuard(options), options);
}

/** What the core does not know of; programs in JavaScript have no types to tell. */
function checkFace(options: Pick<LangGraphGuardOptions<Registry>, 'onNoBarrier' | 'ask'>): void {
  const words = { onNoBarrier: ['rely-on-key', 'refuse'], ask: ['interrupt', 'message'] } as const;
  const problems = Object.entries(words).flatMap(([field, allowed]) => {
    const given: unknown = Reflect.get(options, field);
    return given === undefined || allowed.some((word) => word === given)
      ? []
      : [
          {
            field,
            reason: `'${String(given)}' is none of them`,
            fix: `give one of ${allowed.join(', ')}`,
          },
        ];
  });
  const [first, ...others] = problems;
  if (first !== undefined) throw new SetupError('option_out_of_range', [first, ...others]);
}

function faceOf<R extends Registry>(
  guard: Guard<R>,
  options: LangGraphGuardOptions<R>,
): LangGraphGuard<R> {
  const { registry } = guard;
  const parts: AdapterParts = {
    guard: guard.adapter,
    registry,
    runs: new RunLookup(guard.adapter, registry.digest),
    stamps: new Stamps(guard.adapter.ledger.id, registry.digest),
    handOvers: new HandOvers(guard.adapter),
    onNoBarrier: options.onNoBarrier ?? 'rely-on-key',
    storeInput: options.storeInput ?? true,
    toolNames: new Set(),
    ask: options.ask ?? 'interrupt',
    asked: new AskedCalls(),
    savers: new Set(),
    currentRun() {
      const run = currentRun();
      return run?.isOf(guard.adapter.ledger, guard.adapter.tenant) ? run : undefined;
    },
  };
  return {
    ...guard,
    parts,
    async approve(approval) {
      const failure = approval.failure ?? (await failureInThread(approval, parts));
      return guard.approve(failure === undefined ? approval : { ...approval, failure });
    },
    [WITHOUT]: (removed) => faceOf(guard[WITHOUT](removed) as Guard<R>, options),
    tools(tools) {
      const guarded = tools.map((one) => guardTool(one, parts));
      guard.adapter.checkExecutors(tools.map((one) => one.name));
      return guarded as { -readonly [K in keyof typeof tools]: (typeof tools)[K] };
    },
    implement(name, execute) {
      const entry = registry.tools.get(name);
      if (entry === undefined) {
        throw new SetupError('registry_invalid', [
          {
            field: 'implement',
            reason: `the registry ${registry.name} has no tool named ${name}`,
            fix: `use one of ${[...registry.tools.keys()].join(', ')}`,
          },
        ]);
      }
      const made = tool(async () => undefined, {
        name,
        description: entry.summary,
        schema: entry.modelInput,
      });
      // The entry's schemas vouch for the types: arguments are parsed before, results checked after.
      return guardTool(made, parts, execute as Execute<unknown, unknown>) as never;
    },
    toolNode: (tools, options = {}) => new GuardedToolNode(tools, options, parts),
    model: (model) => guardModel(model, parts),
    modelNode: (node) => guardModelNode(node, parts),
    route: (toolNode, other) => routeTo(toolNode, other ?? (END as never), guard.adapter.newId),
    checkpointer(saver) {
      parts.savers.add(saver);
      return guardSaver(saver, parts);
    },
    run: (graph, input, config) => runGraph(graph, input, config, parts),
    stream: (graph, input, config) => streamGraph(graph, input, config, parts),
    resume: (graph, config) => resumeRun(graph, config, parts),
    effectsSince: (threadId, checkpointId) => effectsSince(threadId, checkpointId, parts),
  };
}
