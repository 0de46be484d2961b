import type { Decision } from '@holdfast/effect-ledger';
import { failed } from '../next-step.js';
import type { DecidedCall } from '../run/decisions.js';
import { refuse, type Stopped, type Validated, type Wish } from './call.js';
import { placeOf } from './place.js';

/** A call as decisions know it. */
export function decidedCall(call: Pick<Validated, 'request' | 'host'>, wish: Wish): DecidedCall {
  return { tool: call.request.tool, argsDigest: wish.argsDigest, place: placeOf(call) };
}

/** The end of a call that a person refused. */
export function rejected(
  call: Parameters<typeof refuse>[0],
  decision: Decision | undefined,
): Stopped | undefined {
  if (decision === undefined) return undefined;
  const { note } = decision;
  return refuse(call, failed('rejected_by_user', 'none', note === undefined ? {} : { note }));
}
