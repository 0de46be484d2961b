/**
 * Full jitter: a wait drawn from `[0, min(cap, base · 2ⁿ)]`, n = 0 for the first retry.
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 *
 * @param retry 1 for the first retry
 * @returns milliseconds
 */
export function backoffMs(
  retry: number,
  limits: { readonly backoffBaseMs: number; readonly backoffCapMs: number },
  random: () => number,
): number {
  // 2^30 times any base is beyond any cap; larger exponents would only overflow.
  const bound = Math.min(limits.backoffCapMs, limits.backoffBaseMs * 2 ** Math.min(retry - 1, 30));
  return Math.floor(random() * bound);
}
