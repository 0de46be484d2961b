import { type Effect, type EffectIn, type Meeting, meet } from '@holdfast/effect-ledger';
import type { GateParts } from '../gate-parts.js';
import type { KnownEffect } from '../run/effect-view.js';
import type { Soon } from '../soon.js';
import {
  type Entrance,
  fold,
  type Recalled,
  refuse,
  type Stopped,
  type Validated,
  type Wish,
} from './call.js';
import { conflictWith, settledBy } from './conflict.js';
import { decidedCall, rejected } from './decided-call.js';
import { draftOf } from './draft.js';
import { asChanged, editedAway } from './edited-call.js';
import { giveUp } from './give-up.js';
import { ledgerFailure } from './ledger-failure.js';
import { leftBehindBranch } from './left-branch.js';
import { placeOf } from './place.js';
import { hasMoved, recover } from './recover.js';
import { meantAgain } from './repeat.js';
import { answeredByWaiting, outsideOfTurns } from './repetition.js';

const CLAIM: Entrance = { by: 'claim' };

/**
 * Has this already happened? By place first, then by wish, then across the intents of the thread. Uses
 * the effects loaded once for the run: no statement per call, unless an outcome is unknown.
 */
export function recall(call: Validated, parts: GateParts): Soon<Recalled | Stopped> {
  const { wish } = call;
  return wish === undefined || parts.removed.has('write-ahead')
    ? enter(call, CLAIM)
    : recallWish(call, wish, parts);
}

async function recallWish(
  call: Validated,
  wish: Wish,
  parts: GateParts,
): Promise<Recalled | Stopped> {
  const { view, decisions } = call.host.run;
  try {
    await Promise.all([view.load(), decisions.load()]);
    const changed = await asChanged(call, wish, parts);
    if (changed !== call) return changed.at === 'validated' ? recall(changed, parts) : changed;
    return await recallLoaded(call, wish, parts);
  } catch (error) {
    return refuse(call, ledgerFailure(error, 'none'));
  }
}

async function recallLoaded(
  given: Validated,
  wishGiven: Wish,
  parts: GateParts,
): Promise<Recalled | Stopped> {
  const { decisions } = given.host.run;
  const own = ownRow(given, wishGiven);
  const nowMs = parts.clock.wallMs();
  if (own !== undefined && !('conflict' in own) && !mayBegin(own.effect)) {
    return answerOwn(given, own.effect, parts);
  }
  const about = decidedCall(given, wishGiven);
  const refusal =
    rejected(given, decisions.rejectionOf(about, nowMs)) ?? editedAway(given, wishGiven);
  if (refusal !== undefined) return refusal;
  if (own !== undefined && 'conflict' in own) {
    const settled = await settledBy(given, wishGiven, own.conflict, parts);
    if (settled === undefined) return refuse(given, conflictWith(own.conflict, wishGiven));
    if (settled !== 'again') return settled;
  } else if (own !== undefined) {
    return answerOwn(given, own.effect, parts);
  }
  const call = await meantAgain(given, parts);
  if (call.at !== 'validated') return call;
  const { wish = wishGiven } = call;
  const meeting = meetingOf(call, wish);
  switch (meeting.meets) {
    case 'nothing': {
      const ahead = aheadOf(call, wish);
      if (ahead === undefined) return enter(call, CLAIM);
      return fold(call, ahead, 'ahead');
    }
    case 'open':
      // The claim knows more of rows that others are working on.
      return (await giveUp(call, meeting.effect, parts))
        ? recall(call, parts)
        : enter(call, { by: 'claim', open: meeting.effect });
    // The claim takes it up again.
    case 'failed':
      return enter(call, CLAIM);
    case 'done':
    case 'unknown': {
      const { effect } = meeting;
      const left =
        (await leftBehindBranch(call, wish, effect, parts)) ??
        (await outsideOfTurns(call, wish, effect, parts));
      if (left === 'again') return enter({ ...call, again: effect.key }, CLAIM);
      if (left !== undefined) return left;
      return effect.state === 'succeeded'
        ? fold(call, effect, 'folded')
        : untilKnown(call, effect, parts);
    }
    case 'conflict': {
      const settled = await settledBy(call, wish, meeting.effect, parts);
      if (settled === undefined) return refuse(call, conflictWith(meeting.effect, wish));
      return settled === 'again' ? enter({ ...call, again: meeting.effect.key }, CLAIM) : settled;
    }
  }
}

/** Of a tool without an entry an unknown outcome stops its own run; where no turn tells, every run. */
function meetingOf(call: Validated, wish: Wish): Meeting {
  const { view, runId } = call.host.run;
  const doubtIsShared = call.host.repetition !== undefined;
  return meet(
    { ...wish, class: writeClass(call), runId, place: placeOf(call), doubtIsShared },
    view.standing(wish),
  );
}

/** A row of the call from which it could begin anew, if nobody has refused it since. */
function mayBegin({ state }: Effect): boolean {
  return state === 'failed' || state === 'suspended';
}

function enter(call: Validated, entrance: Entrance): Recalled {
  const recalled = draftOf(call);
  recalled.at = 'recalled';
  recalled.entrance = entrance;
  return recalled as Recalled;
}

/** The row of this very call, made before a crash, a pause or a replay. */
function ownRow(
  call: Validated,
  wish: Wish,
): KnownEffect | { readonly conflict: Effect } | undefined {
  const { place, tool } = call.request;
  // In a conversation whose messages have no ids a call id tells nothing: providers reuse them.
  if (place !== undefined && place.messageId === undefined) return undefined;
  const known = call.host.run.view.atPlace(tool, placeOf(call));
  if (known === undefined) return undefined;
  const { effect } = known;
  if (effect.argsDigest === wish.argsDigest) {
    // What was undone is a new wish, at its own place too.
    const undone = effect.state === 'succeeded' && effect.settlement.settled !== 'open';
    return undone ? undefined : known;
  }
  // Edited by a person or on a fork: an effect that never happened is no obstacle.
  if (effect.state === 'failed' || onEdit(call) === 'new-effect') return undefined;
  return { conflict: effect };
}

function onEdit(call: Validated): 'conflict' | 'new-effect' {
  if (!call.contract.declared) return 'conflict';
  const { idempotency } = call.contract.entry;
  return 'onEdit' in idempotency ? idempotency.onEdit : 'conflict';
}

async function answerOwn(
  call: Validated,
  effect: KnownEffect['effect'],
  parts: GateParts,
): Promise<Recalled | Stopped> {
  switch (effect.state) {
    case 'succeeded':
      return fold(call, effect, 'replayed');
    case 'failed':
      return enter(call, { by: 're-entry', effect, why: 'retry' });
    case 'suspended':
      return enter(call, { by: 're-entry', effect, why: 'resumed' });
    case 'attempting':
      try {
        if (await hasMoved(call, effect, parts)) return await recall(call, parts);
      } catch (error) {
        return refuse(call, ledgerFailure(error, 'unknown'), effect.key);
      }
      return enter(call, { by: 'claim', open: effect });
    case 'unknown':
      return untilKnown(call, effect, parts);
  }
}

async function untilKnown(
  call: Validated,
  effect: EffectIn<'unknown'>,
  parts: GateParts,
): Promise<Recalled | Stopped> {
  const end = await recover(call, effect, parts);
  if (end !== 'moved') return end;
  const moved = call.host.run.view.get(effect.key)?.effect;
  return (moved && answeredByWaiting(call, moved)) ?? recall(call, parts);
}

/**
 * A success of an equal wish that the conversation does not hold the answer of: the run crashed before
 * it was saved. It answers once, whatever the class and the intent; the next equal call is another wish.
 */
function aheadOf(call: Validated, wish: Wish): EffectIn<'succeeded'> | undefined {
  const { host } = call;
  const { latest } = host.run.view.standing(wish);
  const known = latest === undefined ? undefined : host.run.view.get(latest.key);
  const candidates = [
    ...(known === undefined ? [] : [known]),
    // Where nothing tells what was answered, another intent's success is an earlier wish.
    ...(host.answered === undefined ? [] : host.run.view.doneElsewhere(wish)),
  ];
  const ahead = candidates.find(
    ({ effect, inherited }) =>
      inherited &&
      effect.state === 'succeeded' &&
      effect.settlement.settled === 'open' &&
      !host.run.consumed.has(effect.key) &&
      !(host.answered?.(effect.place) ?? false),
  );
  return ahead?.effect.state === 'succeeded' ? ahead.effect : undefined;
}

function writeClass(call: Validated): 'idempotent-write' | 'irreversible' | 'undeclared' {
  const { class: effectClass } = call.contract;
  if (effectClass === 'read' || effectClass === 'delegates') {
    throw new TypeError(`${call.request.tool} has no effect`);
  }
  return effectClass;
}
