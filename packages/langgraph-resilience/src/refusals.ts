import type { Run } from '@holdfast/call-guard';
import { ToolMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { AdapterParts } from './adapter-parts.js';
import { requestOf } from './call-request.js';
import { messagesOf } from './graph-messages.js';
import { failureMessage } from './tool-result.js';

/** A call as an agent's tools node sees it. */
export interface CalledByName {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** The run that code with this config belongs to. */
export async function runOf(config: RunnableConfig | undefined, parts: AdapterParts): Promise<Run> {
  return parts.currentRun() ?? (await parts.runs.ofCall(config, messagesOf(config)));
}

/** The agent has no such tool: the gate says so, with the nearest names. */
export async function unknownTool(
  call: CalledByName,
  toolNames: readonly string[] | undefined,
  config: RunnableConfig | undefined,
  parts: AdapterParts,
): Promise<ToolMessage> {
  const { id = '' } = call;
  const run = await runOf(config, parts);
  const request = requestOf(call.name, call.args, id, { ...call, id }, config);
  const host = toolNames === undefined ? { run } : { run, toolNames };
  const answer = await parts.guard.call(request, host, undefined);
  if (answer.ok) throw new TypeError(`${call.name} is no tool and yet answered`);
  return failureMessage(answer.failure, id);
}

/**
 * Something around the tool threw, another middleware say: the run goes on, and the model is told. A run
 * that is not guarded is told what LangChain's agents tell by themselves.
 */
export async function brokenAround(
  call: CalledByName,
  error: unknown,
  config: RunnableConfig | undefined,
  parts: AdapterParts,
): Promise<ToolMessage> {
  const { id = '' } = call;
  const run = await runOf(config, parts);
  if (run.modes.guard !== 'enforce') {
    return new ToolMessage({
      content: `${String(error)}\n Please fix your mistakes.`,
      tool_call_id: id,
      name: call.name,
      status: 'error',
    });
  }
  const request = requestOf(call.name, call.args, id, { ...call, id }, config);
  return failureMessage(parts.guard.explain(request, run, error), id);
}
