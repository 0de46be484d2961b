import { StatedFailure } from '@holdfast/call-guard';
import { membersOf, printMembers } from '../message/json-text.js';
import { isRecord, memberText } from '../message/message.js';
import { META } from './meta.js';
import type { Reply } from './own-requests.js';

/**
 * What a server that keeps its half (`honorGuard`) says that its error did. Undefined where it says nothing, or that it
 * does not know: then the class of the tool tells.
 */
export function statedBy(reply: Reply): StatedFailure | undefined {
  if (reply.replied === 'oversized') return undefined;
  const isError = reply.replied === 'error';
  const told = isError ? memberText(reply.text, 'error', 'data') : memberText(reply.text, '_meta');
  const said: unknown = told === undefined ? undefined : JSON.parse(told);
  const effect = isRecord(said) ? said[META.effect] : undefined;
  if (effect !== 'none' && effect !== 'done') return undefined;
  const message = isError ? reply.error.message : undefined;
  return new StatedFailure('business_error', effect, message === undefined ? {} : { message });
}

/** A result without what such a server says to the guard alone: a model would read it. */
export function withoutServerWord(result: string): string {
  if (!result.includes(META.spentMs)) return result;
  const meta = memberText(result, '_meta');
  if (meta?.startsWith('{') !== true) return result;
  const said = new Map(membersOf(meta));
  said.delete(META.spentMs);
  const members = new Map(membersOf(result));
  if (said.size === 0) members.delete('_meta');
  else members.set('_meta', printMembers(said));
  return printMembers(members);
}
