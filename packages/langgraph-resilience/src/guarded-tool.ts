import {
  type CallHost,
  type Execute,
  GuardError,
  type Question,
  type Run,
  StatedFailure,
} from '@holdfast/call-guard';
import type { Place } from '@holdfast/effect-ledger';
import { type AnyToolEntry, SetupError } from '@holdfast/tool-registry';
import type { ToolCall } from '@langchain/core/messages/tool';
import type { RunnableConfig, RunnableToolLike } from '@langchain/core/runnables';
import {
  type DynamicTool,
  type StructuredToolInterface,
  ToolInputParsingException,
} from '@langchain/core/tools';
import { isGraphInterrupt } from '@langchain/langgraph';
import type { AdapterParts } from './adapter-parts.js';
import { askFor, canAsk } from './ask.js';
import { withAsked } from './asked-arguments.js';
import { requestOf } from './call-request.js';
import { barrierOf } from './checkpointer/barrier.js';
import { branchFrom } from './checkpointer/branch.js';
import { isControlFlow, parentCommandIn, pausesOrDrains } from './control-flow.js';
import { warnOfDroppedSends } from './graph-checks.js';
import { messagesOf } from './graph-messages.js';
import { unheededPause } from './heeded-answers.js';
import { nameCall } from './pauses.js';
import { callIdOf, configOf, isProtocolStream, positionOf, writerOf } from './pregel-config.js';
import { ofCall } from './scratchpad.js';
import { pausesAround } from './task-pauses.js';
import {
  failureMessage,
  isToolOutput,
  langGraphCodec,
  messageOf,
  presentAnswer,
  rawResult,
  redactOutput,
  stepCodec,
  type ToolOutput,
  typedResult,
} from './tool-result.js';
import { trimOutput } from './trimmed-output.js';
import { isAnsweredCall, isLeftBehind } from './turn.js';

export type AnyTool = StructuredToolInterface | DynamicTool | RunnableToolLike;

const GUARDED = Symbol.for('holdfast.guarded-tool');

/**
 * A tool of the same kind, name and schema that ends in the gate: the gate's only entrance here. Guarding
 * is idempotent. Called with a tool call it answers with a message, also for a failure; called with plain
 * arguments it throws `GuardError`.
 *
 * @param body what does the work instead of the tool's own code, for tools made from their entry
 */
export function guardTool<T extends AnyTool>(
  tool: T,
  parts: AdapterParts,
  body?: Execute<unknown, unknown>,
): T {
  if (GUARDED in tool) return tool;
  const invoke = (input: unknown, config?: RunnableConfig): Promise<unknown> =>
    invokeGuarded(tool, input, config, parts, body);
  const inner = (input: unknown, _manager?: unknown, config?: RunnableConfig): Promise<unknown> =>
    invoke(input, config);
  const guarded: T = Object.create(tool, {
    [GUARDED]: { value: true },
    invoke: { value: invoke },
    // Other doors to the same function: what old callers and wrappers of tools use.
    call: { value: invoke },
    ...('_call' in tool ? { _call: { value: inner } } : {}),
    ...('func' in tool ? { func: { value: inner } } : {}),
  });
  const entry = parts.registry.tools.get(tool.name);
  if (entry !== undefined && carriesArgument(entry)) {
    if (body === undefined) checkCarrier(tool, entry);
    // The model must neither see nor fill in the argument that carries the key.
    Object.defineProperty(guarded, 'schema', { value: entry.modelInput });
  }
  parts.toolNames.add(tool.name);
  parts.guard.registerExecutor(tool.name, async (args, call) => {
    const output = await runTool(
      tool,
      undefined,
      { signal: call.signal },
      args,
      call.input,
      body,
      call,
    );
    return typedResult(output, hasArtifact(tool));
  });
  return guarded;
}

async function invokeGuarded(
  tool: AnyTool,
  input: unknown,
  config: RunnableConfig | undefined,
  parts: AdapterParts,
  body: Execute<unknown, unknown> | undefined,
): Promise<unknown> {
  const call = isToolCall(input) ? input : undefined;
  const around = configOf(config);
  const callId = call?.id ?? callIdOf(config) ?? parts.guard.newId();
  const args: unknown = call === undefined ? input : call.args;
  const host = await hostOf(tool, around, parts);
  const request = withAsked(
    requestOf(tool.name, args, callId, call, around),
    around,
    host.run,
    parts,
  );
  if (around?.maxConcurrency === 1 && positionOf(around).sendIndex !== undefined) {
    warnOfDroppedSends(host.run, parts);
  }
  const mode = host.run.modes.guard;
  if (mode !== 'enforce') {
    const unheeded = await unheededPause(mode, around);
    if (unheeded !== undefined) throw unheeded;
    return parts.guard.passBy(request, host, (context) =>
      body === undefined
        ? tool.invoke(input as never, config)
        : runTool(tool, call, config, args, args, body, context).then(({ output }) => output),
    );
  }
  const position = request.place?.position;
  const pauses = await pausesAround(around, parts);
  const scope =
    pauses?.configFor(callId, position ?? 0) ??
    (position === undefined ? undefined : ofCall(around, position));
  const own = scope === undefined ? config : { ...config, ...scope };
  const ask = askFor(callId, scope ?? around, messagesOf(around), parts);
  const answer = await parts.guard
    .call(request, ask === undefined ? host : { ...host, ask }, (parsed, context) =>
      runTool(tool, call, own, parsed, context.input, body, context),
    )
    .catch((thrown: unknown) => {
      nameCall(thrown, callId, tool.name);
      if (pauses === undefined || !isGraphInterrupt(thrown)) throw thrown;
      throw pauses.pauseOf([{ callId, tool: tool.name, args, thrown }]);
    });
  if (answer.ok) {
    const named = call === undefined ? undefined : { id: callId, name: tool.name };
    const output = presentAnswer(answer, named);
    const { run } = host;
    parts.handOvers.note(output, { run, place: request.place, tool: tool.name, callId });
    return output;
  }
  if (call === undefined) throw new GuardError(answer.failure);
  return failureMessage(answer.failure, callId);
}

/**
 * What the gate would ask a person about a call if it were made now. Undefined where nothing would be asked,
 * or nobody can be.
 */
export async function questionAbout(
  call: ToolCall,
  config: RunnableConfig,
  parts: AdapterParts,
): Promise<Question | undefined> {
  if (!canAsk(config, parts) || !parts.guard.mayAsk(call.name)) return undefined;
  const host = await hostOf(undefined, config, parts);
  if (host.run.modes.guard !== 'enforce') return undefined;
  const request = requestOf(call.name, call.args, call.id ?? '', call, config);
  return parts.guard.questionOf(withAsked(request, config, host.run, parts), host);
}

/** LangGraph's side of a call: its run, its checkpoints, its pauses and its way to keep results. */
async function hostOf(
  tool: AnyTool | undefined,
  config: RunnableConfig | undefined,
  parts: AdapterParts,
): Promise<CallHost> {
  const messages = messagesOf(config);
  const run = parts.currentRun() ?? (await parts.runs.ofCall(config, messages));
  parts.stamps.follow(run);
  const position = positionOf(config);
  const barrier = barrierOf(position, run, parts);
  const branch = branchFrom(position);
  return {
    run,
    codec: langGraphCodec,
    stepCodec,
    trim: (given, rules) => (isToolOutput(given) ? trimOutput(given, rules) : undefined),
    redact: redactOutput,
    suspends: isControlFlow,
    rawResult,
    typedResult: (output) => typedResult(output, tool !== undefined && hasArtifact(tool)),
    present: (result, request): ToolOutput => ({
      output: messageOf(result, { id: request.callId, name: request.tool }),
    }),
    ...(messages === undefined
      ? { leftBehind: (place) => isOfOtherInput(run, place) }
      : {
          answered: (place) => isAnsweredCall(messages, place),
          leftBehind: (place) => isLeftBehind(messages, place),
        }),
    ...(barrier === undefined ? {} : { barrier }),
    ...(branch === undefined ? {} : { branch }),
    progress: (update) => writerOf(config)?.({ type: 'holdfast', ...update }),
  };
}

/**
 * Without a conversation to look into, a call of another run of the thread was left behind: a run goes on
 * until there is new input.
 */
function isOfOtherInput(run: Run, place: Place): boolean {
  const row = run.view.all().find(({ effect }) => effect.place === place);
  return row !== undefined && row.effect.runId !== run.runId;
}

/** Runs the tool's own code, noting what its function returned before LangChain formats it. */
async function runTool(
  tool: AnyTool,
  call: ToolCall | undefined,
  config: RunnableConfig | undefined,
  args: unknown,
  input: unknown,
  body: Execute<unknown, unknown> | undefined,
  context: Parameters<Execute<unknown, unknown>>[1],
): Promise<ToolOutput> {
  let own: { readonly value: unknown } | undefined;
  let entered = false;
  let thrown: { readonly error: unknown } | undefined;
  const quiet = isProtocolStream(config);
  const callId = call?.id === undefined ? {} : { callId: call.id };
  const inner = observed(tool, async (callOwn) => {
    entered = true;
    try {
      const value = body === undefined ? await callOwn() : await body(args, context);
      own = { value };
      return value;
    } catch (error) {
      if (!quiet || pausesOrDrains(error)) throw error;
      thrown = { error };
      return hasArtifact(tool) ? ['failed', undefined] : 'failed';
    }
  });
  try {
    const output = await inner.invoke(
      (call === undefined ? input : { ...call, args: input, type: 'tool_call' }) as never,
      { ...config, signal: context.signal },
    );
    if (thrown !== undefined) throw thrown.error;
    return { output, ...(own === undefined ? {} : { own }), ...callId };
  } catch (error) {
    const command = parentCommandIn(error);
    if (command !== undefined) return { output: command, ...callId };
    if (!entered && error instanceof ToolInputParsingException) {
      const problems = [{ path: [], message: error.message }];
      throw new StatedFailure('invalid_arguments', 'none', { problems }, error);
    }
    throw error;
  }
}

/** The same tool with its function observed; a tool without one of LangChain's kind is used as it is. */
function observed<T extends AnyTool>(
  tool: T,
  around: (callOwn: () => Promise<unknown>) => Promise<unknown>,
): T {
  if (!('_call' in tool) || typeof tool._call !== 'function') return tool;
  const { _call: own } = tool;
  return Object.create(tool, {
    _call: { value: (...given: unknown[]) => around(async () => Reflect.apply(own, tool, given)) },
  });
}

/** A tool whose own schema does not know the argument would strip it, and send no key. */
function checkCarrier(tool: AnyTool, { idempotency }: AnyToolEntry): void {
  if (idempotency.class !== 'idempotent-write' || !('argument' in idempotency.sentAs)) return;
  const { argument } = idempotency.sentAs;
  const schema: unknown = 'schema' in tool ? tool.schema : undefined;
  const known =
    typeof schema !== 'object' || schema === null
      ? undefined
      : 'shape' in schema
        ? schema.shape
        : 'properties' in schema
          ? schema.properties
          : undefined;
  if (typeof known !== 'object' || known === null || argument in known) return;
  throw new SetupError('registry_invalid', [
    {
      field: `tools.${tool.name}.schema`,
      reason: `it has no argument ${argument}, which carries the idempotency key`,
      fix: `add ${argument} to the tool's schema (the model will not see it), or make the tool with guard.implement`,
    },
  ]);
}

function carriesArgument(entry: AnyToolEntry): boolean {
  const { idempotency } = entry;
  return idempotency.class === 'idempotent-write' && 'argument' in idempotency.sentAs;
}

function hasArtifact(tool: AnyTool): boolean {
  return 'responseFormat' in tool && tool.responseFormat === 'content_and_artifact';
}

function isToolCall(input: unknown): input is ToolCall {
  return (
    typeof input === 'object' && input !== null && 'type' in input && input.type === 'tool_call'
  );
}
