/**
 * The header that tells another process how much time is left, in whole milliseconds: a duration and no
 * moment, so that clocks need not agree. The receiver counts it down on its own monotonic clock.
 */
export const DEADLINE_HEADER = 'x-agent-deadline-ms';

/** Longer than any run: what says more is no deadline. */
const MOST_MS = 30 * 86_400_000;

/** What carries headers: `Headers`, Node's `IncomingHttpHeaders`, or a plain object. */
export type HeaderBag =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | number | undefined };

/**
 * The remaining time that a request brings, for the run that serves it: a hard end, because who asked does
 * not wait longer for whatever reason. It may be less than a `deadline` can be. Undefined where there is none or none that can be read: absent, garbage, negative, or beyond 30 days.
 *
 * @returns milliseconds, at least 0
 * @example
 * const leftMs = readDeadline(request.headers)
 * const limits = leftMs === undefined ? { deadline: '40s' } : { deadlineAt: Date.now() + leftMs }
 * await guard.inRun({ intentId, limits }, work)
 */
export function readDeadline(headers: HeaderBag): number | undefined {
  const text = headerOf(headers);
  // Digits alone: no sign, no exponent, no unit, and no list of two.
  if (!/^\s*\d{1,12}\s*$/.test(text)) return undefined;
  const ms = Number(text);
  return ms <= MOST_MS ? ms : undefined;
}

/** The header of an outgoing request; empty where nothing bounds the time. */
export function deadlineHeader(leftMs: number): Record<string, string> {
  return leftMs <= MOST_MS ? { [DEADLINE_HEADER]: String(Math.max(0, Math.floor(leftMs))) } : {};
}

/** Where there is none it reads as a word, which is no number either. */
function headerOf(headers: HeaderBag): string {
  if ('get' in headers && typeof headers.get === 'function') {
    return String(headers.get(DEADLINE_HEADER));
  }
  const field = Object.entries(headers).find(([name]) => name.toLowerCase() === DEADLINE_HEADER);
  return String(field?.[1]);
}
