import { durationText } from '../duration-text.js';
import { attemptTimeoutMs } from '../latency.js';
import type { AnyToolEntry } from '../tool-entry.js';
import type { RegistryRule } from './registry-rule.js';

const hourMs = 3_600_000;
/** How long after its retries a call may be found by another process and sent again. */
const recoveryWindowMs = 24 * hourMs;
/** By default a call is tried three times, the timeout growing by half, with at most five minutes before each further try. */
const timeoutsOfAllTries = 1 + 1.5 + 1.5 ** 2;
const waitsOfAllTriesMs = 2 * 300_000;

function check(tool: AnyToolEntry) {
  const { name, idempotency, probe } = tool;
  if (idempotency.class !== 'idempotent-write' || probe !== undefined) return [];
  const window = idempotency.serverKeepsKeyForMs;
  const retries = (attemptTimeoutMs(tool) ?? 0) * timeoutsOfAllTries + waitsOfAllTriesMs;
  const needed = retries + recoveryWindowMs;
  if (window >= needed) return [];
  const field = `tools.${name}.idempotency.serverKeepsKeyFor`;
  const reason = `${durationText(window)} is shorter than the retries of a call (${durationText(retries)}) and the ${durationText(recoveryWindowMs)} in which it may be taken up again after a crash; later it would be left to a person`;
  const fix = `add a probe, or have the server keep keys for '${Math.ceil(needed / hourMs)}h'`;
  return [{ field, reason, fix }];
}

/** A key that the server forgets while the call may still be taken up protects only half of the time. */
export const keyWindow: RegistryRule = {
  name: 'key-window',
  severity: 'warning',
  check: ({ tools }) => tools.flatMap(check),
};
