import { GuardError, type Question } from '@holdfast/call-guard';
import { SetupError } from '@holdfast/tool-registry';
import type { AIMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import type { RunnableConfig } from '@langchain/core/runnables';
import { isCommand, isGraphInterrupt, type LangGraphRunnableConfig } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import type { AdapterParts } from './adapter-parts.js';
import { isControlFlow } from './control-flow.js';
import { isMessage, messagesIn } from './graph-messages.js';
import { type AnyTool, guardTool, questionAbout } from './guarded-tool.js';
import { type CallOutput, combined } from './node-output.js';
import { callOfTask, type OpenCalls, openCalls } from './open-calls.js';
import { positionOf } from './pregel-config.js';
import { brokenAround, runOf, unknownTool } from './refusals.js';
import { withRun } from './run.js';
import { TaskPauses } from './task-pauses.js';
import { messageOf } from './tool-result.js';
import { isToolMessage } from './turn.js';
import { isFailure } from './turn-ends.js';

/** As LangGraph's tool node takes them. */
export interface ToolNodeOptions {
  /** Default: `tools`. */
  readonly name?: string;
  readonly tags?: readonly string[];
  /**
   * `false`: a failed call makes the node throw its `GuardError`, once all calls of the turn have ended.
   * Default: true, a failed call is answered with a message.
   */
  readonly handleToolErrors?: boolean;
}

/**
 * LangGraph's tool node with its tools guarded: it behaves like that one for everything that is not a
 * failure. Of a turn every call gets its answer; none is skipped because an earlier turn used its id, and
 * none loses its result to a sibling that fails or pauses.
 */
export class GuardedToolNode extends ToolNode {
  readonly #parts: AdapterParts;

  constructor(tools: readonly AnyTool[], options: ToolNodeOptions, parts: AdapterParts) {
    const { tags, ...rest } = options;
    super(
      // What a provider runs itself is only shown to the model.
      tools.map((tool) => (isCallable(tool) ? guardTool(tool, parts) : tool)),
      { ...rest, ...(tags === undefined ? {} : { tags: [...tags] }) },
    );
    this.#parts = parts;
    parts.guard.checkExecutors(this.#names());
  }

  protected override async run(input: unknown, given: LangGraphRunnableConfig): Promise<unknown> {
    const withState = { ...given, state: input };
    const run = await runOf(withState, this.#parts);
    const config: LangGraphRunnableConfig = withRun(given, run, this.#parts);
    if (run.modes.guard !== 'enforce') return super.run(input, config);
    if (isSent(input)) return this.#runSent(input, config);
    const messages = messagesIn(input);
    if (messages === undefined) {
      throw unusable(
        'it is neither a list of messages nor a state with messages',
        'connect the node to a state that holds them under the key messages',
      );
    }
    const open = openCalls(messages, this.#parts.guard.newId);
    if (open === undefined) {
      throw unusable(
        'its messages hold none of the model',
        'route to the tool node after the model asked for tools',
      );
    }
    const state = stateWith(input, open);
    const outputs =
      open.calls.length > 1
        ? await this.#runTogether(open, config, state)
        : await this.#runAll(open.calls, config, state);
    return combined(outputs, mendedIn(open), Array.isArray(input));
  }

  /** A task for one call, which `Send` made. */
  async #runSent(input: Sent, config: LangGraphRunnableConfig): Promise<unknown> {
    const { lg_tool_call: call, ...state } = input;
    const open = openCalls(messagesIn(state) ?? [], this.#parts.guard.newId);
    if (open === undefined) {
      return combined(await this.#runAll([call], config, state), undefined, false);
    }
    const own = callOfTask(call, open, positionOf(config).sendIndex);
    const outputs = await this.#runAll([own], config, stateWith(state, open));
    return combined(outputs, mendedIn(open), false);
  }

  /** Calls that share a task: each is asked about, and told, by its own id. */
  async #runTogether(
    { calls, message }: OpenCalls,
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<readonly CallOutput[]> {
    const pauses = await TaskPauses.enter(config, this.#parts);
    const questions = await this.#questionsAbout(calls, config, state);
    if (questions.some(({ callId }) => !pauses.isAnswered(callId))) {
      const asked = pauses.ask(questions);
      if (asked !== undefined) throw asked;
    }
    const ends = await Promise.allSettled(
      calls.map((call) => {
        const position = (message.tool_calls ?? []).findIndex(({ id }) => id === call.id);
        return this.#call(call, pauses.configFor(call.id ?? '', position), state);
      }),
    );
    const thrown: unknown[] = ends.flatMap((end) =>
      end.status === 'rejected' ? [end.reason] : [],
    );
    const paused = calls.flatMap((call, index) => {
      const end = ends[index];
      const reason: unknown = end?.status === 'rejected' ? end.reason : undefined;
      return isGraphInterrupt(reason)
        ? [{ callId: call.id ?? '', tool: call.name, args: call.args, thrown: reason }]
        : [];
    });
    if (paused.length > 0) throw pauses.pauseOf(paused);
    if (thrown.length > 0) throw thrown.find(isControlFlow) ?? thrown[0];
    return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  }

  /** What the guard asks before any of the calls runs; about equal ones once. */
  async #questionsAbout(
    calls: readonly ToolCall[],
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<readonly Question[]> {
    const asked = new Map<string, Question>();
    for (const call of calls) {
      const question = await questionAbout(call, this.#runtimeOf(call, config, state), this.#parts);
      if (question === undefined) continue;
      const { tool, why, args, callId } = question;
      const same = why === 'repeat' ? callId : JSON.stringify([tool, args]);
      if (!asked.has(same)) asked.set(same, question);
    }
    return [...asked.values()];
  }

  async #runAll(
    calls: readonly ToolCall[],
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<readonly CallOutput[]> {
    const ends = await Promise.allSettled(calls.map((call) => this.#call(call, config, state)));
    const thrown = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    if (thrown.length > 0) throw thrown.find(isControlFlow) ?? thrown[0];
    return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  }

  async #call(
    call: ToolCall,
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<CallOutput> {
    const named = { ...call, id: call.id || this.#parts.guard.newId() };
    const output = await this.#outputOf(named, this.#runtimeOf(named, config, state));
    if (!this.handleToolErrors && !isCommand(output) && output.status === 'error') {
      if (isFailure(output.artifact)) throw new GuardError(output.artifact);
    }
    return output;
  }

  #runtimeOf(
    { id = '' }: ToolCall,
    config: LangGraphRunnableConfig,
    state: unknown,
  ): RunnableConfig {
    const { context, store = null, writer = config.configurable?.writer ?? null } = config;
    return { ...config, ...{ state, toolCallId: id, config, context, store, writer } };
  }

  async #outputOf(
    call: ToolCall & { readonly id: string },
    runtime: RunnableConfig,
  ): Promise<CallOutput> {
    const tool = this.tools.find(({ name }) => name === call.name);
    if (tool === undefined || !isCallable(tool)) {
      return unknownTool(call, this.#names(), runtime, this.#parts);
    }
    try {
      const output: unknown = await tool.invoke({ ...call, type: 'tool_call' }, runtime);
      return isOutput(output) ? output : messageOf(output, { id: call.id, name: tool.name });
    } catch (error) {
      if (isControlFlow(error)) throw error;
      return brokenAround(call, error, runtime, this.#parts);
    }
  }

  #names(): readonly string[] {
    return this.tools.filter(isCallable).map(({ name }) => name);
  }
}

interface Sent {
  readonly lg_tool_call: ToolCall;
  readonly [channel: string]: unknown;
}

function unusable(reason: string, fix: string): SetupError {
  return new SetupError('input_invalid', [{ field: 'input of the tool node', reason, fix }]);
}

function isSent(input: unknown): input is Sent {
  return typeof input === 'object' && input !== null && 'lg_tool_call' in input;
}

/** The state that tools and gate see: it holds the calls as they are made. */
function stateWith(state: unknown, { given, message, messages }: OpenCalls): unknown {
  if (message === given) return state;
  return Array.isArray(state) ? messages : { ...(state as object), messages };
}

/** Only a message with an id can be put in the place of the one that the conversation holds. */
function mendedIn({ given, message }: OpenCalls): AIMessage | undefined {
  return message === given || given.id === undefined ? undefined : message;
}

function isCallable(tool: object): tool is AnyTool {
  return 'name' in tool && typeof tool.name === 'string' && 'invoke' in tool;
}

function isOutput(output: unknown): output is CallOutput {
  return isCommand(output) || (isMessage(output) && isToolMessage(output));
}
