import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { actionDigest } from '../run/loop-guard.js';
import { fold, refuse, type Stopped, type Validated, type Wish } from './call.js';
import { decidedCall } from './decided-call.js';
import { thaw } from './frozen-arguments.js';
import { placeOf } from './place.js';
import { validate } from './validate.js';

/**
 * The call as a person changed it when it was asked about. The conversation still holds what the model asked
 * for, so a call that is entered again is the changed one, once that has begun.
 */
export async function asChanged(
  call: Validated,
  wish: Wish,
  parts: GateParts,
): Promise<Validated | Stopped> {
  const { host, request } = call;
  const { decisions, view } = host.run;
  const about = decidedCall(call, wish);
  const row = view.atPlace(request.tool, placeOf(call))?.effect;
  const edit = decisions
    .editsAway(about)
    .findLast(({ callId, editedTo }) => callId === request.callId && editedTo === row?.argsDigest);
  if (row === undefined || edit === undefined) return call;
  if (row.state === 'succeeded') {
    return row.settlement.settled === 'open'
      ? fold(call, row, 'replayed', { changes: [], askedDigest: wish.argsDigest })
      : call;
  }
  const args = thaw(row.frozenArgs);
  return args === undefined
    ? call
    : validate(
        {
          ...call,
          at: 'resolved',
          request: { ...request, args, asked: request.args },
          action: actionDigest(request.tool, args),
        },
        parts,
      );
}

/** A model that asks again for what a person has changed: the changed call stands in its place. */
export function editedAway(call: Validated, wish: Wish): Stopped | undefined {
  const { host, request } = call;
  const { decisions, view } = host.run;
  for (const { callId, editedTo, note } of decisions.editsAway(decidedCall(call, wish))) {
    if (callId === request.callId || editedTo === undefined) continue;
    const ran = view
      .all()
      .some(
        ({ effect }) =>
          effect.tool === request.tool &&
          effect.argsDigest === editedTo &&
          effect.state !== 'failed',
      );
    const details = { editedTo, ...(note === undefined ? {} : { note }) };
    if (ran) return refuse(call, failed('rejected_by_user', 'none', details));
  }
  return undefined;
}

/** Writes down, before it runs, that a call runs with other arguments than the model asked for. */
export async function recordEdit(
  call: Pick<Validated, 'request' | 'host' | 'edit'>,
  wish: Wish,
  parts: GateParts,
): Promise<void> {
  const askedDigest = call.edit?.askedDigest;
  if (askedDigest === undefined || askedDigest === wish.argsDigest) return;
  const asked = { ...decidedCall(call, wish), argsDigest: askedDigest };
  const { decisions } = call.host.run;
  const known = decisions
    .editsAway(asked)
    .some((edit) => edit.callId === asked.place.callId && edit.editedTo === wish.argsDigest);
  if (known) return;
  await decisions.decide(asked, {
    kind: 'edited',
    by: 'person',
    editedTo: wish.argsDigest,
    expiresAt: parts.clock.wallMs() + parts.limits.approvalMs,
  });
}
