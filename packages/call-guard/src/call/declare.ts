import {
  type Claim,
  type Declaration,
  type Effect,
  isGone,
  type LeaseState,
  type Moved,
  type WhatWasRead,
  type WriteClass,
} from '@holdfast/effect-ledger';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import type { Soon } from '../soon.js';
import {
  type Admitted,
  type Declared,
  effectSoFar,
  fold,
  refuse,
  type Stopped,
  type Wish,
} from './call.js';
import { conflictWith } from './conflict.js';
import { draftOf } from './draft.js';
import { recordEdit } from './edited-call.js';
import { freeze, frozenInput, sentArguments } from './frozen-arguments.js';
import { ledgerFailure } from './ledger-failure.js';
import { howItAnswers, placeOf } from './place.js';
import { answeredByWaiting, answeredMeanwhile } from './repetition.js';
import { subjectOf } from './subject.js';
import { boundMs } from './time.js';

/** What the ledger knows has moved on since recall: the call must be recalled again. */
export interface Outrun {
  readonly at: 'outrun';
}

/** How often a row of another owner is looked at again, in milliseconds. */
const POLL_MS = 50;

/**
 * Writes the effect down, atomically for all processes, before it is sent. Where another owner works on
 * it, waits within that owner's lease. If it cannot be written there is no effect. What is not declared
 * gives its permit back.
 */
export function declare(call: Admitted, parts: GateParts): Soon<Declared | Outrun | Stopped> {
  const { wish } = call;
  if (wish === undefined || parts.removed.has('write-ahead')) {
    const declared = draftOf(call);
    declared.at = 'declared';
    declared.attemptId = call.host.run.attemptId();
    return declared as Declared;
  }
  return declareWish(call, wish, parts);
}

async function declareWish(
  call: Admitted,
  wish: Wish,
  parts: GateParts,
): Promise<Declared | Outrun | Stopped> {
  let isOurs = false;
  try {
    const attemptId = parts.newId();
    await call.host.run.admit();
    const declared =
      call.entrance.by === 'claim'
        ? ((await answeredMeanwhile(call, call.entrance.open?.key, parts)) ??
          (await claim(call, wish, attemptId, parts)))
        : await reenter(call, call.entrance, attemptId, parts);
    isOurs = declared.at === 'declared';
    return declared;
  } catch (error) {
    return refuse(call, ledgerFailure(error, effectSoFar(call)));
  } finally {
    if (!isOurs) call.permit.release();
  }
}

async function claim(
  call: Admitted,
  wish: Wish,
  attemptId: string,
  parts: GateParts,
): Promise<Declared | Outrun | Stopped> {
  const { run } = call.host;
  const captured = await capture(call, parts);
  if ('why' in captured) {
    const message = `the state before the write could not be read: ${captured.why}`;
    return refuse(call, failed('dependency_failed', 'none', { message }));
  }
  await recordEdit(call, wish, parts);
  const declaration = declarationOf(call, wish, captured.before);
  const patience: Patience = {
    signal: call.request.signal,
    leftMs: () => boundMs(call, parts),
  };
  let gone: string | undefined;
  for (;;) {
    const stamps = [...run.pendingStamps.values()];
    const found: Claim = await parts.ledger.claim(
      declaration,
      { ...run.claimant(gone), attemptId, read: whatWasRead(call, wish) },
      stamps,
    );
    if (found.found === 'nothing' || found.found === 'failed') run.view.declared(found.effect);
    else if ('effect' in found) run.view.learn(found.effect);
    switch (found.found) {
      case 'nothing':
      case 'failed': {
        run.epoch = found.epoch;
        for (const stamp of stamps) run.pendingStamps.delete(stamp.ns);
        const why = found.found === 'nothing' ? 'new' : 'retry';
        const earlier = found.found === 'nothing' ? found.earlierUnknown : undefined;
        const warnings =
          earlier === undefined
            ? []
            : [
                `outcome_unknown: an equal call of an earlier run may have had its effect (${earlier.key})`,
              ];
        // What was open when it was recalled has ended without effect, or this would not be ours.
        const settled = { ...call, entrance: { by: 'claim' as const } };
        return begin(settled, found.effect, attemptId, { why, warnings }, parts);
      }
      case 'done':
        return fold(call, found.effect, howItAnswers(call, found.effect));
      case 'unknown':
      case 'unseen':
        return { at: 'outrun' };
      case 'conflict':
        return refuse(call, conflictWith(found.effect, wish));
      case 'stale-epoch':
        return refuse(call, failed('in_flight', 'unknown', {}));
      case 'open': {
        const next = await waitForRow(found.effect, found.lease, patience, parts);
        if (next === 'give-up') return inFlight(call, found.effect);
        if ('moved' in next) {
          run.view.learn(next.moved);
          const answered = answeredByWaiting(call, next.moved);
          return answered ?? { at: 'outrun' };
        }
        gone = next.gone ?? gone;
        break;
      }
      case 'held': {
        const next = await wait(found.lease, patience, parts);
        if (next === 'give-up') return inFlight(call, undefined);
        gone = next.gone ?? gone;
      }
    }
  }
}

function whatWasRead({ host }: Admitted, wish: Wish): WhatWasRead {
  const { latest } = host.run.view.standing(wish);
  return latest === undefined ? {} : { latest };
}

/** The call's own row again: after a pause, a proven failure, or an unknown outcome that may be sent again. */
async function reenter(
  call: Admitted,
  entrance: Extract<Admitted['entrance'], { by: 're-entry' }>,
  attemptId: string,
  parts: GateParts,
): Promise<Declared | Outrun | Stopped> {
  const { run } = call.host;
  const { effect, why } = entrance;
  const patience: Patience = {
    signal: call.request.signal,
    leftMs: () => boundMs(call, parts),
  };
  let gone: string | undefined;
  for (;;) {
    const moved: Moved = await parts.ledger.move(
      effect.key,
      { version: effect.version },
      { to: 'attempting', why, owner: run.owner },
      { claimant: run.claimant(gone, effect.runId), attempt: { id: attemptId } },
    );
    if ('moved' in moved) {
      run.view.learn(moved.moved);
      if (moved.epoch !== undefined && effect.runId === run.runId) run.epoch = moved.epoch;
      if (moved.moved.state !== 'attempting') return { at: 'outrun' };
      return begin(call, moved.moved, attemptId, { why, warnings: [] }, parts);
    }
    switch (moved.refused) {
      case 'held': {
        const next = await wait(moved.lease, patience, parts);
        if (next === 'give-up') return inFlight(call, effect);
        gone = next.gone ?? gone;
        break;
      }
      case 'stale-epoch':
        return refuse(call, failed('in_flight', 'unknown', { key: effect.key }), effect.key);
      case 'missing':
      case 'version':
      case 'illegal': {
        const [current] = await parts.ledger.find({ key: effect.key });
        if (current === undefined || current.version === effect.version) {
          return inFlight(call, effect);
        }
        run.view.learn(current);
        return { at: 'outrun' };
      }
    }
  }
}

/** The row is ours. What it was declared with is what is sent; the key goes where the entry says. */
async function begin(
  call: Admitted,
  effect: Declared['effect'] & object,
  attemptId: string,
  grounds: { readonly why: string; readonly warnings: readonly string[] },
  parts: GateParts,
): Promise<Declared> {
  parts.emit('effect_declared', subjectOf(call, { key: effect.key, attemptId }), {
    generation: effect.generation,
    why: grounds.why,
  });
  const sent =
    grounds.why === 'new' || !call.contract.declared
      ? undefined
      : await sentArguments(effect, call.contract.entry);
  const { args, input } = sent ?? call;
  return {
    ...call,
    at: 'declared',
    args: withCarrier(call, args, effect),
    input: withCarrier(call, input, effect),
    effect,
    attemptId,
    warnings: [...call.warnings, ...grounds.warnings],
  };
}

function withCarrier(call: Admitted, args: unknown, effect: Effect): unknown {
  if (!call.contract.declared) return args;
  const { idempotency } = call.contract.entry;
  if (idempotency.class !== 'idempotent-write' || !('argument' in idempotency.sentAs)) return args;
  return { ...(args as object), [idempotency.sentAs.argument]: effect.key };
}

function declarationOf(call: Admitted, wish: Wish, before: Uint8Array | undefined): Declaration {
  const { run } = call.host;
  return {
    tenant: run.tenant,
    runId: run.runId,
    intentId: run.intentId,
    scope: wish.scope,
    tool: call.request.tool,
    toolVersion: call.contract.declared ? call.contract.entry.version : '0.0.0',
    class: call.contract.class as WriteClass,
    identity: wish.identity,
    keyGiven: wish.keyGiven,
    argsDigest: wish.argsDigest,
    ordinal: wish.ordinal,
    frozenArgs: frozenInput(call),
    place: placeOf(call),
    ...(wish.instance === undefined ? {} : { instance: wish.instance }),
    ...(call.again === undefined ? {} : { againAfter: call.again }),
    ...(call.host.repetition === undefined ? {} : { doubtIsShared: true }),
    ...(before === undefined ? {} : { before }),
  };
}

/** The state before the write, for its undo. A write whose state cannot be read is not started. */
async function capture(
  call: Admitted,
  parts: GateParts,
): Promise<{ readonly before?: Uint8Array } | { readonly why: string }> {
  if (!call.contract.declared || call.contract.entry.capture === undefined) return {};
  const { tool, args } = call.contract.entry.capture;
  const { run } = call.host;
  const purpose = `capture:${call.request.callId}`;
  try {
    const read = await parts.ask(tool, args({ args: call.args }), run, purpose);
    return read.ok ? { before: freeze(read.raw) } : { why: read.why };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

interface Patience {
  readonly signal: AbortSignal | undefined;
  /** What is left of the deadline, in milliseconds. */
  readonly leftMs: () => number;
  /** Monotonic milliseconds; set by the first lease that is met. */
  until?: number;
}

/**
 * Waits a little for another owner, at most as long as the lease that was met first. An owner whose
 * process is gone is not waited for.
 */
async function wait(
  lease: LeaseState | undefined,
  patience: Patience,
  parts: GateParts,
): Promise<'give-up' | { readonly gone?: string }> {
  // Suspended, or being compensated: nobody can say for how long.
  if (lease === undefined) return 'give-up';
  if (isGone(lease.holder)) return { gone: lease.holder.id };
  const now = parts.clock.monotonicMs();
  const leaseLeft = Math.min(lease.untilMs - parts.clock.wallMs(), parts.limits.leaseMs);
  patience.until ??= now + Math.max(0, leaseLeft) + POLL_MS;
  const isOver = now > patience.until || patience.leftMs() <= POLL_MS;
  if (patience.signal?.aborted || isOver) return 'give-up';
  try {
    await parts.clock.sleep(POLL_MS, patience.signal);
  } catch {
    return 'give-up';
  }
  return {};
}

/**
 * Waits for what becomes of a row, and looks before anything is claimed: it may be the row of this very
 * call, and where finished results are not folded a claim would then be a new wish.
 */
async function waitForRow(
  effect: Effect,
  lease: LeaseState | undefined,
  patience: Patience,
  parts: GateParts,
): Promise<'give-up' | { readonly gone?: string } | { readonly moved: Effect }> {
  for (;;) {
    const next = await wait(lease, patience, parts);
    if (next === 'give-up') return next;
    const [current] = await parts.ledger.find({ key: effect.key });
    if (current !== undefined && current.version > effect.version) return { moved: current };
    // A claim shows more only of an owner that is gone, or whose lease has run out.
    const leaseIsOver = lease === undefined || lease.untilMs <= parts.clock.wallMs();
    if (next.gone !== undefined || leaseIsOver) return next;
  }
}

function inFlight(call: Admitted, effect: Effect | undefined): Stopped {
  const since = effect?.attempts.at(-1)?.startedAt;
  const details = {
    ...(effect === undefined ? {} : { key: effect.key }),
    ...(since === undefined ? {} : { since }),
  };
  return refuse(call, failed('in_flight', 'unknown', details), effect?.key);
}
