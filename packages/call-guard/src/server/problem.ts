/** What is wrong with a request, or with answering it. */
const problems = {
  idempotency_key_missing: 'This request must bring an Idempotency-Key.',
  idempotency_key_invalid: 'An Idempotency-Key is a string of 1 to 255 visible characters.',
  idempotency_key_reused: 'This Idempotency-Key was used for another request.',
  request_under_way: 'A request with this Idempotency-Key is being worked on.',
  outcome_unknown:
    'Nobody knows what became of the request with this Idempotency-Key. It is not done again.',
  result_not_kept: 'The request with this Idempotency-Key was done. Its answer was not kept.',
  ledger_unavailable: 'Requests cannot be written down now, so none is begun.',
} as const;

/** A refusal as RFC 9457 writes it, with its `code`. */
export function problem(status: number, code: keyof typeof problems, detail?: string): Response {
  const isWaiting = code === 'request_under_way' || code === 'ledger_unavailable';
  return new Response(
    JSON.stringify({
      title: problems[code],
      status,
      code,
      ...(detail === undefined ? {} : { detail }),
    }),
    {
      status,
      headers: {
        'content-type': 'application/problem+json',
        ...(isWaiting ? { 'retry-after': '1' } : {}),
      },
    },
  );
}
