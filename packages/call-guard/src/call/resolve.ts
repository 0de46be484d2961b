import { nearestNames, type Registry } from '@holdfast/tool-registry';
import { failed } from '../next-step.js';
import type { TimeLeft } from '../run/deadline.js';
import type { ActionDigest } from '../run/loop-guard.js';
import { type Contract, type Resolved, refuse, type Stopped } from './call.js';
import { resolvedCall } from './draft.js';
import type { CallHost, PresumedClass } from './host.js';
import type { CallFlaw, CallRequest } from './request.js';

/**
 * Can the call be read, and is there such a tool? `executable` is false where the agent has no tool of
 * this name.
 */
export function resolve(
  request: CallRequest,
  host: CallHost,
  setting: {
    readonly registry: Registry;
    readonly executable: boolean;
    readonly time: TimeLeft;
    readonly insideRetries: boolean;
    readonly action: ActionDigest;
  },
): Resolved | Stopped {
  const contract = contractOf(request.tool, setting.registry, host.presumed);
  const { flaw } = request;
  if (flaw !== undefined && forbids(flaw, contract)) {
    return refuse({ request, host, contract }, failed(flaw.kind, 'none', flaw.details));
  }
  if (!setting.executable) {
    const names = host.toolNames ?? [...setting.registry.tools.keys()];
    return refuse(
      { request, host },
      failed('unknown_tool', 'none', { nearest: nearestNames(request.tool, names) }),
    );
  }
  const { time, insideRetries, action } = setting;
  return resolvedCall({ request, host, contract, time, insideRetries, action });
}

/** The contract of a tool of this name. */
export function contractOf(
  tool: string,
  registry: Registry,
  presumed: PresumedClass | undefined = undefined,
): Contract {
  const entry = registry.tools.get(tool);
  return entry === undefined
    ? { declared: false, class: presumed ?? 'undeclared' }
    : { declared: true, class: entry.idempotency.class, entry };
}

/** A read may go by arguments that are not all that was meant, if they can be read. */
function forbids(flaw: CallFlaw, contract: Contract): boolean {
  const isReadable = flaw.kind === 'output_truncated' && flaw.details.echo === undefined;
  return !isReadable || contract.class !== 'read';
}
