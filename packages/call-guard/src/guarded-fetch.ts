import { currentCall, currentNotes } from './call-context.js';
import { provesUnsent } from './classify/system.js';

/**
 * `fetch` for the code of a guarded tool: adds the key header that the entry declares, passes the
 * attempt's signal unless it is given another, and notes whether the request can have left, so that a refused connection may be
 * tried again even for a tool that must never be sent twice. Outside of a guarded call it is `fetch`.
 *
 * @throws what `fetch` throws.
 * @example await guardedFetch(url, { method: 'POST', body })
 */
export const guardedFetch: typeof fetch = async (input, init) => {
  const call = currentCall();
  const notes = currentNotes();
  if (call === undefined || notes === undefined) return fetch(input, init);
  const headers = new Headers(
    init?.headers ?? (input instanceof Request ? input.headers : undefined),
  );
  for (const [name, value] of Object.entries(call.headers())) headers.set(name, value);
  const request = { signal: call.signal, ...init, headers };
  try {
    const response = await fetch(input, request);
    notes.requestsSent += 1;
    return response;
  } catch (error) {
    if (!provesUnsent(error)) notes.requestsSent += 1;
    throw error;
  }
};
