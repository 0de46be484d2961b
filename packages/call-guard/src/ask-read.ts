import type { CallRequest } from './call/request.js';
import { passGate } from './gate.js';
import type { GateParts } from './gate-parts.js';
import type { Run } from './run/run.js';

/** A registered read for the guard itself, through the gate; its result as the entry's schema gives it. */
export async function askRead(
  request: CallRequest,
  run: Run,
  timeoutMs: number | undefined,
  parts: GateParts,
): ReturnType<GateParts['ask']> {
  const { tool } = request;
  const output = parts.registry.tools.get(tool)?.output;
  const deadlineMs = timeoutMs ?? parts.limits.probeTimeoutMs;
  // Its calls are not the agent's: they do not count in the run's report.
  const host = { run, isOwn: true };
  const answer = await passGate({ ...request, deadlineMs }, host, parts.executors.get(tool), parts);
  if (!answer.ok) return { ok: false, why: `${tool}: ${answer.failure.kind}` };
  if (output === undefined) return { ok: true, raw: answer.result, result: answer.result };
  return { ok: true, raw: answer.result, result: await output.parseAsync(answer.result) };
}
