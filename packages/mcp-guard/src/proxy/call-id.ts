import type { ToolCall } from './tool-call.js';

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * The id of a call within the guard. A host's ids begin anew with each session, and a host that uses one for two
 * calls means two calls: so it has the session in it, and a digest of the arguments as they were written.
 *
 * @param session tells it from all others
 */
export function callIdOf({ id, argsText = '' }: ToolCall, session: string): string {
  return `${session}/${JSON.stringify(id)}/${digestOf(argsText)}`;
}

/** FNV-1a in 32 bits (G. Fowler, L. Noll, K. Vo), over the text's UTF-16: nobody has to be kept from finding an equal one. */
function digestOf(text: string): string {
  let digest = OFFSET;
  for (let at = 0; at < text.length; at += 1) {
    digest = Math.imul(digest ^ text.charCodeAt(at), PRIME);
  }
  return (digest >>> 0).toString(16);
}
