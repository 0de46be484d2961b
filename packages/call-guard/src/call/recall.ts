import {
  type Effect,
  type EffectIn,
  isLedgerError,
  meet,
  type Place,
} from '@holdfast/effect-ledger';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { emitProbed, probeEffect } from '../recovery/probe.js';
import { isAssumedDone, recoveryOf } from '../recovery/recover.js';
import type { KnownEffect } from '../run/effect-view.js';
import {
  type Entrance,
  fold,
  type Recalled,
  refuse,
  type Stopped,
  type Validated,
  type Wish,
} from './call.js';
import { sentArguments } from './frozen-arguments.js';
import { giveUp } from './give-up.js';
import { assumedDone, type Settling, settleWithoutSending } from './settle-without-sending.js';

/**
 * Has this already happened? By place first, then by wish, then across the intents of the thread. Uses
 * the effects loaded once for the run: no statement per call, unless an outcome is unknown.
 */
export async function recall(call: Validated, parts: GateParts): Promise<Recalled | Stopped> {
  const { wish } = call;
  if (wish === undefined || parts.removed.has('write-ahead')) return enter(call, { by: 'claim' });
  const { view } = call.host.run;
  try {
    await view.load();
  } catch (error) {
    return refuse(call, ledgerFailure(error, 'none'));
  }
  const own = ownRow(call, wish);
  if (own === 'conflict') return conflict(call, wish);
  if (own !== undefined) return answerOwn(call, own.effect, parts);
  const meeting = meet(
    { ...wish, class: writeClass(call), runId: call.host.run.runId, place: placeOf(call) },
    view.standing(wish),
  );
  switch (meeting.meets) {
    case 'nothing': {
      const ahead = aheadOf(call, wish);
      if (ahead === undefined) return enter(call, { by: 'claim' });
      return fold(call, ahead, 'ahead');
    }
    case 'open':
      // The claim knows more of rows that others are working on.
      return (await giveUp(call, meeting.effect, parts))
        ? recall(call, parts)
        : enter(call, { by: 'claim' });
    // The claim takes it up again.
    case 'failed':
      return enter(call, { by: 'claim' });
    case 'done':
      return fold(call, meeting.effect, 'folded');
    case 'unknown':
      return recover(call, meeting.effect, parts);
    case 'conflict':
      return refuse(call, failed('intent_conflict', 'none', { key: meeting.effect.key }));
  }
}

/** Where the call stands. Without a conversation its id is its place. */
export function placeOf(call: Pick<Validated, 'request' | 'host'>): Place {
  const { threadId } = call.host.run;
  return {
    ...(threadId === undefined ? {} : { threadId }),
    ...call.request.place,
    callId: call.request.callId,
  };
}

/** A result of this very call is given again; of another one, it is an equal call's. */
export function howItAnswers(
  call: Pick<Validated, 'request' | 'host'>,
  { place, intentId }: Effect,
): 'replayed' | 'folded' {
  const own = placeOf(call);
  const isOwn =
    intentId === call.host.run.intentId &&
    // In a conversation whose messages have no ids a call id tells nothing.
    (call.request.place === undefined || own.messageId !== undefined) &&
    (['threadId', 'messageId', 'position', 'callId'] as const).every(
      (part) => place[part] === own[part],
    );
  return isOwn ? 'replayed' : 'folded';
}

/** Why a store could not answer, as the contract says it. */
export function ledgerFailure(
  error: unknown,
  effect: 'none' | 'unknown',
): ReturnType<typeof failed> {
  if (!isLedgerError(error)) throw error;
  return failed('ledger_unavailable', effect, { reason: error.message }, error);
}

function enter(call: Validated, entrance: Entrance): Recalled {
  return { ...call, at: 'recalled', entrance };
}

/** The row of this very call, made before a crash, a pause or a replay. */
function ownRow(call: Validated, wish: Wish): KnownEffect | 'conflict' | undefined {
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
  return 'conflict';
}

function onEdit(call: Validated): 'conflict' | 'new-effect' {
  if (!call.contract.declared) return 'conflict';
  const { idempotency } = call.contract.entry;
  return 'onEdit' in idempotency ? idempotency.onEdit : 'conflict';
}

function conflict(call: Validated, wish: Wish): Stopped {
  const known = call.host.run.view.atPlace(call.request.tool, placeOf(call));
  if (known === undefined) throw new TypeError(`no row to conflict with ${wish.wish}`);
  return refuse(call, failed('intent_conflict', 'none', { key: known.effect.key }));
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
      return enter(call, { by: 'claim' });
    case 'unknown':
      return recover(call, effect, parts);
  }
}

/** Whether another process has moved the row since it was read: what is known is answered first. */
async function hasMoved(call: Validated, effect: Effect, parts: GateParts): Promise<boolean> {
  const [current] = await parts.ledger.find({ key: effect.key });
  if (current === undefined || current.version <= effect.version) return false;
  call.host.run.view.learn(current);
  return true;
}

/** An outcome is unknown: settle it if that is possible, never guess. */
async function recover(
  call: Validated,
  effect: EffectIn<'unknown'>,
  parts: GateParts,
): Promise<Recalled | Stopped> {
  try {
    if (await hasMoved(call, effect, parts)) return await recall(call, parts);
    return await recoverAsItStands(call, effect, parts);
  } catch (error) {
    return refuse(call, ledgerFailure(error, 'unknown'), effect.key);
  }
}

async function recoverAsItStands(
  call: Validated,
  effect: EffectIn<'unknown'>,
  parts: GateParts,
): Promise<Recalled | Stopped> {
  const { contract, host } = call;
  switch (recoveryOf(effect, contract, parts.clock.wallMs())) {
    case 'resend':
      return enter(call, { by: 're-entry', effect, why: 'resend' });
    case 'leave':
      return undecided(call, effect, false, parts);
    case 'probe': {
      if (!contract.declared || parts.removed.has('probe')) {
        return undecided(call, effect, false, parts);
      }
      const sent = await sentArguments(effect, contract.entry);
      const finding = await probeEffect(effect, contract.entry, sent?.args, host.run, parts.ask);
      emitProbed(call, { key: effect.key }, finding, parts);
      switch (finding.found) {
        case 'absent':
          return enter(call, { by: 're-entry', effect, why: 'probe-absent' });
        case 'one':
          return settled(call, effect, { ...finding, by: 'probe' }, parts);
        case 'many':
          return unknown(call, effect, { checking: false, duplicate: true });
        case 'pending':
          return unknown(call, effect, { checking: true });
        case 'cannot-tell':
          return undecided(call, effect, true, parts);
      }
    }
  }
}

/** Nobody can tell: the entry says whether it counts as done. */
function undecided(
  call: Validated,
  effect: EffectIn<'unknown'>,
  checking: boolean,
  parts: GateParts,
): Promise<Stopped> | Stopped {
  return isAssumedDone(call.contract)
    ? settled(call, effect, assumedDone, parts)
    : unknown(call, effect, { checking });
}

async function settled(
  call: Validated,
  effect: EffectIn<'unknown'>,
  settling: Settling,
  parts: GateParts,
): Promise<Stopped> {
  const row = await settleWithoutSending(call, effect, settling, parts);
  return row.state === 'succeeded'
    ? fold(call, row, howItAnswers(call, row))
    : unknown(call, effect, { checking: true });
}

function unknown(
  call: Validated,
  effect: EffectIn<'unknown'>,
  known: { readonly checking: boolean; readonly duplicate?: boolean },
): Stopped {
  const details = { key: effect.key, since: effect.since, ...known };
  return refuse(call, failed('outcome_unknown', 'unknown', details), effect.key);
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
