import type { GateParts } from '../gate-parts.js';
import { fieldTree } from '../results/field-tree.js';
import type { Soon } from '../soon.js';
import type { Attempted } from './call.js';
import type { TrimmedResult } from './host.js';
import { subjectOf } from './subject.js';

/** A call whose result is cut down to what may leave. What it did is not changed by that. */
export function trimResult(call: Attempted, parts: GateParts): Soon<Attempted> {
  const { host, outcome, request } = call;
  if (host.trim === undefined) return call;
  const result =
    outcome.outcome === 'succeeded'
      ? outcome.output
      : outcome.outcome === 'confirmed' && outcome.result !== undefined
        ? (host.present?.(outcome.result, request) ?? outcome.result)
        : undefined;
  if (result === undefined) return call;
  const trimming = trimmedOf(call, result, parts);
  return trimming instanceof Promise
    ? trimming.then((trimmed) => withTrimmed(call, trimmed))
    : withTrimmed(call, trimming);
}

function withTrimmed(call: Attempted, trimmed: TrimmedResult | undefined): Attempted {
  const { outcome } = call;
  if (trimmed === undefined) return call;
  return outcome.outcome === 'succeeded' || outcome.outcome === 'confirmed'
    ? { ...call, outcome: { ...outcome, trimmed } }
    : call;
}

/** A result in the form that may leave; undefined where it may leave as it is. */
export function trimmedOf(
  call: Attempted,
  result: unknown,
  parts: GateParts,
): Soon<TrimmedResult | undefined> {
  const { contract, host } = call;
  const cap = contract.declared ? contract.entry.resultCap : undefined;
  const maxBytes = cap?.maxBytes ?? host.maxResultBytes;
  if (maxBytes === undefined || host.trim === undefined) return undefined;
  const tell = (trimmed: TrimmedResult | undefined): TrimmedResult | undefined => {
    if (trimmed === undefined) return undefined;
    const { wholeBytes, givenBytes } = trimmed;
    const subject = subjectOf(call, { key: call.effect?.key });
    parts.emit('result_trimmed', subject, { wholeBytes, givenBytes });
    return trimmed;
  };
  // What is done is done, whether or not it can be cut.
  try {
    const trimming = host.trim(result, { maxBytes, kept: fieldTree(cap?.keep ?? []) });
    return trimming instanceof Promise ? trimming.then(tell, () => undefined) : tell(trimming);
  } catch {
    return undefined;
  }
}
