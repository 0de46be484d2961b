import { nearestNames, type Registry } from '@holdfast/tool-registry';
import { failed } from '../next-step.js';
import type { TimeLeft } from '../run/deadline.js';
import { type CallHost, type CallRequest, type Resolved, refuse, type Stopped } from './call.js';

/** Is there such a tool? `executable` is false where the agent has no tool of this name. */
export function resolve(
  request: CallRequest,
  host: CallHost,
  setting: {
    readonly registry: Registry;
    readonly executable: boolean;
    readonly time: TimeLeft;
    readonly insideRetries: boolean;
  },
): Resolved | Stopped {
  const entry = setting.registry.tools.get(request.tool);
  if (!setting.executable) {
    const names = host.toolNames ?? [...setting.registry.tools.keys()];
    return refuse(
      { request, host },
      failed('unknown_tool', 'none', { nearest: nearestNames(request.tool, names) }),
    );
  }
  return {
    at: 'resolved',
    request,
    host,
    time: setting.time,
    insideRetries: setting.insideRetries,
    contract:
      entry === undefined
        ? { declared: false, class: 'undeclared' }
        : { declared: true, class: entry.idempotency.class, entry },
  };
}
