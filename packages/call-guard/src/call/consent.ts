import type { Decision, Effect } from '@holdfast/effect-ledger';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { actionDigest } from '../run/loop-guard.js';
import type { Soon } from '../soon.js';
import { askPerson } from './ask-person.js';
import {
  effectSoFar,
  type Recalled,
  refuse,
  type Stopped,
  type Validated,
  type Wish,
} from './call.js';
import { decidedCall, rejected } from './decided-call.js';
import { ledgerFailure } from './ledger-failure.js';
import type { CallRequest } from './request.js';
import { validate } from './validate.js';

/** The call goes on with other arguments, so that it has to be recalled again. */
export interface Changed {
  readonly at: 'changed';
  readonly call: Validated;
}

/**
 * Must a person agree first, and do they? An effect that cannot be undone and whose entry says `confirm`
 * runs with the arguments that were approved, once, and no longer than the approval holds. Where nobody can
 * be asked here, the failure asks.
 */
export async function consent(
  call: Recalled,
  parts: GateParts,
): Promise<Recalled | Changed | Stopped> {
  const { wish } = call;
  if (wish === undefined || !needsConsent(call)) return call;
  if (call.agreedTo === wish.argsDigest) return call;
  try {
    return await agreed(call, wish, parts);
  } catch (error) {
    return refuse(call, ledgerFailure(error, effectSoFar(call)));
  }
}

/** What goes on with something that was agreed to is not asked about again. */
function needsConsent({ contract, entrance }: Recalled): boolean {
  if (!mustBeConfirmed(contract)) return false;
  return entrance.by === 'claim' || entrance.why === 'retry';
}

export function mustBeConfirmed(contract: Recalled['contract']): boolean {
  const compensation = contract.declared ? contract.entry.compensation : undefined;
  return (
    compensation !== undefined && 'avoidBy' in compensation && compensation.avoidBy === 'confirm'
  );
}

async function agreed(
  call: Recalled,
  wish: Wish,
  parts: GateParts,
): Promise<Recalled | Changed | Stopped> {
  const { host } = call;
  const { decisions } = host.run;
  const about = decidedCall(call, wish);
  if (await isApproved(call, wish, parts)) return call;
  // Somebody may have decided in another process since the run began.
  await decisions.refresh();
  const refusal = rejected(call, decisions.rejectionOf(about, parts.clock.wallMs()));
  if (refusal !== undefined) return refusal;
  if (await isApproved(call, wish, parts)) return call;
  if (host.ask === undefined) {
    const details = { why: 'irreversible' as const, argsDigest: wish.argsDigest };
    return refuse(call, failed('confirmation_required', effectSoFar(call), details));
  }
  const said = await askPerson(call, 'irreversible', ['approve', 'reject'], parts);
  if ('at' in said) return said;
  const changed = said.input === undefined ? undefined : await withInput(call, said.input, parts);
  if (changed !== undefined && changed.at !== 'validated') return changed;
  const digest = changed?.wish?.argsDigest ?? wish.argsDigest;
  const isEdited = digest !== wish.argsDigest;
  const stands = await decisions.decide(about, {
    kind: said.decision === 'reject' ? 'rejected' : isEdited ? 'edited' : 'approved',
    by: said.by ?? 'person',
    ...(said.note === undefined ? {} : { note: said.note }),
    ...(said.decision === 'reject'
      ? {}
      : { expiresAt: parts.clock.wallMs() + parts.limits.approvalMs }),
    ...(isEdited ? { editedTo: digest } : {}),
  });
  if (stands.kind === 'rejected') return rejected(call, stands) ?? call;
  // Arguments that make the same wish may still be worded otherwise.
  return changed === undefined ? call : { at: 'changed', call: { ...changed, agreedTo: digest } };
}

/** The call with the arguments that a person gave instead. */
function withInput(call: Recalled, input: unknown, parts: GateParts): Soon<Validated | Stopped> {
  const request: CallRequest = {
    ...call.request,
    args: input,
    asked: call.request.asked ?? call.request.args,
  };
  const action = actionDigest(request.tool, input);
  return validate({ ...call, at: 'resolved', request, action }, parts);
}

/** Whether a decision in force lets the call run that no effect has used up. */
async function isApproved(call: Recalled, wish: Wish, parts: GateParts): Promise<boolean> {
  const { decisions } = call.host.run;
  for (const decision of decisions.consentsTo(decidedCall(call, wish), parts.clock.wallMs())) {
    if (!(await isUsed(decision, call, wish, parts))) return true;
  }
  return false;
}

/** One decision, one effect. */
async function isUsed(
  decision: Decision,
  { host, request }: Recalled,
  { argsDigest }: Wish,
  parts: GateParts,
): Promise<boolean> {
  const uses = ({ tool, state, attempts, ...row }: Effect): boolean =>
    tool === request.tool &&
    row.argsDigest === argsDigest &&
    state !== 'failed' &&
    attempts.some(({ startedAt }) => startedAt >= decision.at);
  const { run } = host;
  if (run.view.all().some(({ effect }) => uses(effect))) return true;
  const { tenant, threadId } = run;
  if (decision.messageId !== undefined || threadId === undefined) return false;
  // Any run of the thread may have used what was said without naming a message.
  const others = await parts.ledger.runs({ tenant, threadId });
  for (const other of others) {
    if (other.intentId === run.intentId || other.activeAt < decision.at) continue;
    const rows = await parts.ledger.find({ tenant, intentId: other.intentId });
    if (rows.some(uses)) return true;
  }
  return false;
}
