import {
  type AttemptEnd,
  type Effect,
  type EffectIn,
  isGone,
  isLedgerError,
} from '@holdfast/effect-ledger';
import type { GateParts } from '../gate-parts.js';
import { keyProtects } from '../recovery/recover.js';
import { StatedFailure } from '../stated-failure.js';
import type { Declared } from './call.js';
import { type Ending, rowOf, settleOnce } from './settle.js';
import { subjectOf } from './subject.js';
import { writeDown } from './write-down.js';

/** A step as the ledger is asked for it. */
export interface StepEntry {
  readonly name: string;
  readonly parent: EffectIn<'attempting'>;
  readonly call: Declared;
  readonly attemptId: string;
}

/**
 * The step's row before it runs: `attempting` where it is this try's to run, else as it stands. An unknown
 * one may be run again only if its key was really sent and the server still knows it.
 *
 * @throws StatedFailure `in_flight` where another process has taken the run over, `ledger_unavailable`
 */
export async function enterStep(step: StepEntry, parts: GateParts): Promise<Effect> {
  try {
    return await claimStep(step, parts);
  } catch (error) {
    if (!isLedgerError(error)) throw error;
    // Nothing was done by this step; what the tool did before it is not known here.
    const details = { reason: error.message };
    throw new StatedFailure('ledger_unavailable', 'unknown', details, error);
  }
}

async function claimStep(step: StepEntry, parts: GateParts): Promise<Effect> {
  const { name, parent, call, attemptId } = step;
  const { run } = call.host;
  let gone: string | undefined;
  for (;;) {
    const found = await parts.ledger.claim(
      {
        tenant: parent.tenant,
        runId: parent.runId,
        intentId: parent.intentId,
        scope: parent.scope,
        tool: parent.tool,
        toolVersion: parent.toolVersion,
        class: parent.class,
        identity: '',
        keyGiven: false,
        argsDigest: parent.argsDigest,
        ordinal: 0,
        step: { parent: parent.key, name },
        // What a step sends stands in its code.
        frozenArgs: new Uint8Array(),
        place: parent.place,
      },
      { ...run.claimant(gone, parent.runId), attemptId },
    );
    switch (found.found) {
      case 'nothing':
      case 'failed':
      case 'done':
        return found.effect;
      case 'unknown':
        return keyProtects(found.effect, call.contract, parts.clock.wallMs())
          ? again(step, found.effect, 'resend', parts)
          : found.effect;
      case 'open': {
        if (found.effect.state === 'suspended') {
          return again(step, found.effect, 'resumed', parts);
        }
        const holder = found.lease?.holder;
        if (holder === undefined || holder.id === gone || !isGone(holder)) return found.effect;
        gone = holder.id;
        break;
      }
      case 'held':
      case 'stale-epoch':
      case 'conflict':
      case 'unseen':
        throw new StatedFailure('in_flight', 'unknown', {});
    }
  }
}

async function again(
  { call, attemptId }: StepEntry,
  row: Effect,
  why: 'resend' | 'resumed',
  parts: GateParts,
): Promise<Effect> {
  const { run } = call.host;
  const moved = await parts.ledger.move(
    row.key,
    { version: row.version },
    { to: 'attempting', why, owner: run.owner },
    { claimant: run.claimant(undefined, row.runId), attempt: { id: attemptId } },
  );
  if ('moved' in moved) return moved.moved;
  throw new StatedFailure('in_flight', 'unknown', { key: row.key });
}

/** Writes down how a step ended. */
export async function settleStep(
  { call, attemptId }: StepEntry,
  row: EffectIn<'attempting'>,
  ending: Ending,
  keyCarried: boolean,
  parts: GateParts,
): Promise<void> {
  const attempt: AttemptEnd = {
    id: attemptId,
    endedAt: parts.clock.wallMs(),
    ended: ending.to,
    tries: 1,
    keyCarried,
  };
  await writeDown(
    () => settleOnce(row, ending, attempt, parts),
    rowOf,
    subjectOf(call, { key: row.key, attemptId }),
    parts,
  );
}
