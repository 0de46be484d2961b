import {
  type CallContext,
  currentCall,
  currentNotes,
  currentRequests,
  type RequestNotes,
} from './call-context.js';
import { provesUnsent } from './classify/system.js';

/**
 * `fetch` for the code of a guarded tool: adds the key header that the entry declares and the time that is
 * left, passes the attempt's signal unless it is given another, and notes whether the request can have
 * left, so that a refused connection may be tried again even for a tool that must never be sent twice. A
 * GET or HEAD carries the key too, but does not count as sending it. The entry's `timeouts.firstByte` and
 * `timeouts.idle` bound the wait for the head of the answer and for each next part of its body; what takes
 * longer is torn down, and the failure names the clock. A request that is repeated after it failed, within
 * one attempt, is told as a warning: a client below has retries of its own. One of an irreversible tool that
 * may have arrived is not sent again at all. Outside of a guarded call it is
 * `fetch`. Like `fetch` it does not throw for a status: check `response.ok`.
 *
 * @throws what `fetch` throws.
 * @example await guardedFetch(url, { method: 'POST', body })
 */
export const guardedFetch: typeof fetch = async (input, init) => {
  const call = currentCall();
  const notes = currentNotes();
  const requests = currentRequests();
  if (call === undefined || notes === undefined || requests === undefined) {
    return fetch(input, init);
  }
  const given = input instanceof Request ? input : undefined;
  const method = (init?.method ?? given?.method ?? 'GET').toUpperCase();
  const headers = new Headers(init?.headers ?? given?.headers);
  for (const [name, value] of keyHeaders(call, method, notes)) headers.set(name, value);
  const redirect = init?.redirect ?? given?.redirect ?? 'follow';
  // A signal of `null` is no signal.
  const signal = (init?.signal === undefined ? call.signal : init.signal) ?? undefined;
  const request: RequestInit = { ...init, headers };
  // A redirect may have the same body sent again.
  const again = redirect === 'follow' ? given?.clone() : undefined;
  const identity = { method, url: given?.url ?? String(input), body: bodyOf(given, init) };
  const response = await noted(notes, () =>
    requests.send(identity, signal, (linked) =>
      // Redirects are followed below: a refusal at the second address is none of the first request.
      fetch(input, {
        ...request,
        signal: linked ?? null,
        ...(redirect === 'follow' ? { redirect: 'manual' } : {}),
      }),
    ),
  );
  const next = redirect === 'follow' ? redirection(response, method, request) : undefined;
  if (next === undefined) return response;
  await response.body?.cancel();
  const repeats = again !== undefined && next.request.method === method;
  const target = repeats ? new Request(next.url, again) : next.url;
  const onward = { method: next.request.method ?? method, url: next.url.href, body: undefined };
  return requests.send(onward, signal, (linked) =>
    fetch(target, { ...next.request, signal: linked ?? null }),
  );
};

/** The body as far as two of them can be compared. */
function bodyOf(given: Request | undefined, init: RequestInit | undefined): string | undefined {
  const body = init?.body ?? given?.body ?? '';
  return typeof body === 'string' ? body : undefined;
}

async function noted(notes: RequestNotes, send: () => Promise<Response>): Promise<Response> {
  try {
    const response = await send();
    notes.requestsSent += 1;
    return response;
  } catch (error) {
    if (provesUnsent(error)) notes.requestsRefused += 1;
    else notes.requestsSent += 1;
    throw error;
  }
}

function keyHeaders(
  call: CallContext,
  method: string,
  notes: RequestNotes,
): readonly [string, string][] {
  const carriedBefore = notes.keyCarried;
  const headers = Object.entries(call.headers());
  if (method === 'GET' || method === 'HEAD') notes.keyCarried = carriedBefore;
  return headers;
}

/** Where an answer sends the request on, and as what: the rules of `fetch` (303, and 301 or 302 after a POST, become GET). */
function redirection(
  response: Response,
  method: string,
  request: RequestInit,
): { readonly url: URL; readonly request: RequestInit } | undefined {
  const location = response.headers.get('location');
  if (location === null || ![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const url = new URL(location, response.url);
  const headers = new Headers(request.headers);
  // What is meant for one host is not another's to see.
  if (url.origin !== new URL(response.url).origin) {
    for (const name of ['authorization', 'proxy-authorization', 'cookie']) headers.delete(name);
  }
  const becomesGet =
    (response.status === 303 && method !== 'HEAD') ||
    ((response.status === 301 || response.status === 302) && method === 'POST');
  if (!becomesGet) return { url, request: { ...request, method, headers } };
  const { body: _, ...withoutBody } = request;
  for (const name of ['content-type', 'content-length', 'content-encoding']) headers.delete(name);
  return { url, request: { ...withoutBody, method: 'GET', headers } };
}
