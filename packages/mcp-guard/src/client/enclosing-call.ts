import { isDeepStrictEqual } from 'node:util';
import { type CallContext, currentCall, currentRun, type Guard } from '@holdfast/call-guard';
import type { Around } from '../proxy/session.js';
import type { ToolCall } from '../proxy/tool-call.js';

/**
 * What a client's call stands in: the run of the same guard that its program is in. Where it is made by a guarded
 * tool of the same name, with the arguments that the tool was given, it is that tool's own call, and has passed its
 * gate.
 */
export function aroundOf(
  call: ToolCall,
  { adapter }: Guard,
  onError: (error: unknown) => void,
): Around | undefined {
  const run = currentRun();
  if (run?.isOf(adapter.ledger, adapter.tenant) !== true) return undefined;
  const enclosing = currentCall();
  return enclosing !== undefined && isSame(enclosing, call)
    ? { run, passed: enclosing, onError }
    : { run };
}

/** LangChain's adapters may put a prefix before a tool's name. */
function isSame({ tool, input }: CallContext, call: ToolCall): boolean {
  const isNamed = tool === call.tool || tool.endsWith(`__${call.tool}`);
  return isNamed && isDeepStrictEqual(input ?? {}, call.args);
}
