import type { RunnableConfig } from '@langchain/core/runnables';
import { type AgentMiddleware, createMiddleware } from 'langchain';
import { isControlFlow } from '../control-flow.js';
import { messagesIn } from '../graph-messages.js';
import type { LangGraphGuard } from '../guard.js';
import { type AnyTool, guardTool } from '../guarded-tool.js';
import { isGuardedModel, withEnds } from '../model.js';
import { beginModelTurn } from '../model-turn.js';
import { currentConfig } from '../pregel-config.js';
import { brokenAround, runOf, unknownTool } from '../refusals.js';

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
      // A guarded model does all of it itself.
      if (isGuardedModel(request.model)) return handler(request);
      const isStructured = request.responseFormat !== undefined;
      const turn = await beginModelTurn(
        {
          shown: request.messages,
          // What other middleware shows the model is not what the user said.
          said: messagesIn(request.state) ?? request.messages,
          isOurs: (name) => !isStructured || name === '' || toolNames?.includes(name) === true,
        },
        parts,
      );
      const answer = await handler({
        ...request,
        model: withEnds(request.model),
        messages: [...turn.messages],
      });
      turn.ended();
      return turn.received(answer);
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
        const { modes } = await runOf(currentConfig(), parts);
        if (modes.guard !== 'enforce') return await handler(request);
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
