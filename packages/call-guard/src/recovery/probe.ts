import type { Attempt, Effect } from '@holdfast/effect-ledger';
import { type AnyToolEntry, attemptTimeoutMs } from '@holdfast/tool-registry';
import { subjectOf } from '../call/subject.js';
import type { GateParts } from '../gate-parts.js';
import type { Run } from '../run/run.js';

/** What the other side says, as far as it can be relied on. */
export type Finding =
  | { readonly found: 'one'; readonly evidence: unknown; readonly result?: unknown }
  /** Authoritatively not there, as of a moment when no request could still be on its way. */
  | { readonly found: 'absent' }
  /** It took place more than once: a person has to look. */
  | { readonly found: 'many'; readonly evidence: unknown }
  /** The other side is still working on it. */
  | { readonly found: 'pending' }
  | { readonly found: 'cannot-tell'; readonly why: string };

/** Says what a probe found. */
export function emitProbed(
  call: Parameters<typeof subjectOf>[0],
  about: Parameters<typeof subjectOf>[1],
  finding: Finding,
  parts: Pick<GateParts, 'emit'>,
): void {
  parts.emit('effect_probed', subjectOf(call, about), {
    found: finding.found,
    ...('why' in finding ? { why: finding.why } : {}),
  });
}

/** What a timeout leaves for the network and the other side's queues, in milliseconds. */
const QUEUE_ALLOWANCE_MS = 60_000;

/** How long after its start a request of the tool may still take effect, in milliseconds. */
export function inFlightHorizonMs(entry: AnyToolEntry): number {
  return entry.probe?.inFlightHorizonMs ?? 2 * (attemptTimeoutMs(entry) ?? 0) + QUEUE_ALLOWANCE_MS;
}

/**
 * Asks whether an effect took place. `args` are the parsed arguments that were sent. An absence counts
 * only if it is authoritative and as of a moment past the horizon: before it the request may be on its way.
 */
export async function probeEffect(
  effect: Effect,
  entry: AnyToolEntry,
  args: unknown,
  run: Run,
  { ask, clock }: Pick<GateParts, 'ask' | 'clock'>,
): Promise<Finding> {
  const { probe } = entry;
  const last = effect.attempts.at(-1);
  if (probe === undefined || last === undefined) return cannotTell('the tool has no probe');
  try {
    const startedAt = new Date(last.startedAt);
    const question = probe.args({ args, idempotencyKey: effect.key, startedAt });
    const read = await ask(probe.tool, question, run, `probe:${effect.key}`, probe.timeoutMs);
    if (!read.ok) return cannotTell(read.why);
    const answer = probe.answer(read.result);
    if (answer.found === 'one' || answer.found === 'many') return answer;
    if (answer.found === 'pending') return { found: 'pending' };
    if (!answer.authoritative) return cannotTell('the absence is not authoritative');
    const settledBy = lastSentBy(last, entry) + inFlightHorizonMs(entry);
    // By whichever clock: nobody can tell of a moment that is not yet.
    const asOf = Math.min(answer.asOf.getTime(), clock.wallMs());
    return asOf > settledBy
      ? { found: 'absent' }
      : cannotTell(
          `absent as of ${new Date(asOf).toISOString()}, but it may be on its way until ${new Date(settledBy).toISOString()}`,
        );
  } catch (error) {
    return cannotTell(error instanceof Error ? error.message : String(error));
  }
}

/**
 * When the last request of a pass left at the latest, in wall-clock milliseconds. A pass that tried again,
 * or that no timeout bounds, may have sent something until it ended.
 */
function lastSentBy({ startedAt, endedAt, tries = 1 }: Attempt, entry: AnyToolEntry): number {
  const isBound = tries === 1 && attemptTimeoutMs(entry) !== undefined;
  return isBound ? startedAt : (endedAt ?? startedAt);
}

function cannotTell(why: string): Finding {
  return { found: 'cannot-tell', why };
}
