import type { GateParts } from '../gate-parts.js';
import { askPerson } from './ask-person.js';
import type { Stopped, Validated } from './call.js';
import { decidedCall, rejected } from './decided-call.js';

/**
 * An equal call of the same message, of a tool whose entry lets a person say what that means: whether it is
 * meant again. Then it is a wish of its own; otherwise, and where nobody can be asked, the two are one.
 */
export async function meantAgain(call: Validated, parts: GateParts): Promise<Validated | Stopped> {
  const { host, wish } = call;
  if (wish === undefined || wish.repeats === 0) return call;
  const about = decidedCall(call, wish);
  const again: Validated = { ...call, wish: { ...wish, ordinal: wish.repeats } };
  const { decisions } = host.run;
  const before = decisions.aboutItself(about, ['again', 'reuse'], parts.clock.wallMs());
  if (before !== undefined) return before.kind === 'again' ? again : call;
  if (host.ask === undefined) return call;
  const said = await askPerson(call, 'repeat', ['again', 'reuse', 'reject'], parts);
  if ('at' in said) return said;
  const stands = await decisions.decide(about, {
    kind: said.decision === 'again' || said.decision === 'reuse' ? said.decision : 'rejected',
    by: said.by ?? 'person',
    ...(said.note === undefined ? {} : { note: said.note }),
    ...(said.decision === 'reject'
      ? {}
      : { expiresAt: parts.clock.wallMs() + parts.limits.approvalMs }),
  });
  if (stands.kind === 'rejected') return rejected(call, stands) ?? call;
  return stands.kind === 'again' ? again : call;
}
