import type { Run } from '@holdfast/call-guard';
import { isLedgerError } from '@holdfast/effect-ledger';
import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { type AgentMiddleware, createMiddleware } from 'langchain';
import type { AdapterParts } from '../adapter-parts.js';
import { isControlFlow } from '../control-flow.js';
import type { LangGraphGuard } from '../guard.js';
import { type AnyTool, guardTool } from '../guarded-tool.js';
import { currentConfig, messagesIn } from '../pregel-config.js';
import { brokenAround, unknownTool } from '../refusals.js';
import { isAnsweredCall } from '../turn.js';

/**
 * One line in an existing `createAgent`: its tools end in the gate, and each run is written down before its
 * first model call. Two wrappers and no hook, so it costs no superstep; safe beside other middleware.
 *
 * @example createAgent({ model, tools, middleware: [guardMiddleware(guard)], checkpointer: guard.checkpointer(saver) })
 */
export function guardMiddleware(guard: LangGraphGuard): AgentMiddleware {
  const { parts } = guard;
  const guardedTools = new WeakMap<object, AnyTool>();
  /** Unknown until the model is first asked: a resumed run may begin with its tools. */
  let toolNames: readonly string[] | undefined;

  function guarded(tool: AnyTool): AnyTool {
    const known = guardedTools.get(tool);
    if (known !== undefined) return known;
    const made = guardTool(tool, parts);
    guardedTools.set(tool, made);
    return made;
  }

  const middleware = createMiddleware({
    name: 'HoldfastGuard',
    async wrapModelCall(request, handler) {
      const tools = request.tools.flatMap((tool) => (isTool(tool) ? [tool] : []));
      toolNames = tools.map((tool) => tool.name);
      for (const tool of tools) guarded(tool);
      parts.guard.checkExecutors(toolNames);
      // What other middleware shows the model is not what the user said.
      const messages = messagesIn(request.state) ?? request.messages;
      const run = await admitted(messages, parts);
      const note = run === undefined ? undefined : whatIsDone(run, messages);
      const begunAt = parts.guard.clock.monotonicMs();
      const answer = await handler(
        note === undefined ? request : { ...request, messages: [...request.messages, note] },
      );
      run?.budget.noteModelTurn(parts.guard.clock.monotonicMs() - begunAt);
      return answer;
    },
    async wrapToolCall(request, handler) {
      const { tool, toolCall } = request;
      try {
        if (tool !== undefined && isTool(tool)) {
          const watched = watch(guarded(tool));
          const answer = await handler({ ...request, tool: watched.tool });
          // A middleware inside this one may have taken the pause for a failure and answered it.
          watched.throwPause();
          return answer;
        }
        if (tool !== undefined) return await handler(request);
        return await unknownTool(toolCall, toolNames, currentConfig(), parts);
      } catch (error) {
        if (isControlFlow(error)) throw error;
        return await brokenAround(toolCall, error, currentConfig(), parts);
      }
    },
  });
  return middleware as AgentMiddleware;
}

function isTool(tool: object): tool is AnyTool {
  return 'name' in tool && typeof tool.name === 'string' && 'invoke' in tool;
}

/** A tool of one call that pauses once: whoever calls it again in spite of that is told the same. */
function watch(tool: AnyTool): { readonly tool: AnyTool; throwPause(): void } {
  let pause: { readonly thrown: unknown } | undefined;
  const throwPause = (): void => {
    if (pause !== undefined) throw pause.thrown;
  };
  const invoke = async (input: unknown, config?: RunnableConfig): Promise<unknown> => {
    throwPause();
    try {
      return await tool.invoke(input as never, config);
    } catch (thrown) {
      if (isControlFlow(thrown)) pause = { thrown };
      throw thrown;
    }
  };
  return { tool: Object.create(tool, { invoke: { value: invoke } }), throwPause };
}

/**
 * The run of this invocation, written down before the model is asked. Where the ledger is away the model
 * may still be asked and reads still work: effects are refused until it is back.
 */
async function admitted(
  messages: readonly BaseMessage[],
  parts: AdapterParts,
): Promise<Run | undefined> {
  try {
    const run = parts.currentRun() ?? (await parts.runs.of(currentConfig(), messages));
    parts.stamps.follow(run);
    await run.admit();
    await run.view.load();
    return run;
  } catch (error) {
    if (!isLedgerError(error)) throw error;
    const subject = { tenant: parts.guard.tenant, runId: '', intentId: '' };
    parts.guard.emit('warning', subject, {
      code: 'not_admitted',
      message: `the run could not be written down: ${error.message}`,
    });
    return undefined;
  }
}

/**
 * What the model must know before it plans, where the conversation lost it: effects of this run that are
 * done, or may be, and that no message answers.
 */
function whatIsDone(run: Run, messages: readonly BaseMessage[]): HumanMessage | undefined {
  const lost = run.view
    .all()
    .filter(({ effect, inherited }) => inherited && effect.runId === run.runId)
    .filter(
      ({ effect }) => !run.consumed.has(effect.key) && !isAnsweredCall(messages, effect.place),
    )
    .map(({ effect }) => effect);
  const done = lost.filter(({ state }) => state === 'succeeded').map(({ tool }) => tool);
  const open = lost
    .filter(({ state }) => state === 'unknown' || state === 'attempting')
    .map(({ tool }) => tool);
  if (done.length === 0 && open.length === 0) return undefined;
  const lines = [
    'Note of the system: this request was interrupted and goes on.',
    ...(done.length === 0
      ? []
      : [`Already done for it: ${done.join(', ')}. An equal call is answered with its result.`]),
    ...(open.length === 0
      ? []
      : [`Outcome unknown, being checked: ${open.join(', ')}. Do not repeat.`]),
  ];
  return new HumanMessage({ content: lines.join('\n') });
}
