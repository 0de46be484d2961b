import type { EffectIn } from '@holdfast/effect-ledger';
import type { Failure, FailureFacts } from '../failure.js';
import { forModel } from '../failure-texts/model.js';
import { forUser } from '../failure-texts/user.js';
import { failed, leftToPerson } from '../next-step.js';
import { canBeFoundOut } from '../recovery/recover.js';
import type { Soon } from '../soon.js';
import type { CallAnswer } from './answer.js';
import type { Contract, Settled, Stopped } from './call.js';
import type { Edit } from './edit.js';
import type { CallHost } from './host.js';
import type { CallRequest } from './request.js';
import { jsonCodec } from './stored-result.js';

/** What may leave: the result, or the failure with its identity and its texts. */
export function shape(call: Settled | Stopped): Soon<CallAnswer<unknown>> {
  switch (call.at) {
    case 'refused':
      return { ok: false, failure: failureOf(call, call.failure, 0) };
    case 'paused':
      throw call.thrown;
    case 'folded':
      return shapeFolded(call);
    case 'settled':
      return shapeSettled(call);
  }
}

function shapeSettled(call: Settled): CallAnswer<unknown> {
  const { outcome, tries, effect } = call;
  switch (outcome.outcome) {
    case 'succeeded':
      return succeeded(
        call,
        outcome.trimmed === undefined ? outcome.output : outcome.trimmed.given,
      );
    case 'confirmed': {
      if (outcome.trimmed !== undefined) return succeeded(call, outcome.trimmed.given);
      if (outcome.result !== undefined) {
        return succeeded(call, call.host.present?.(outcome.result, call.request) ?? outcome.result);
      }
      const reason = 'confirmed by asking the other side';
      return { ok: false, failure: notKept(call, effect, reason, tries, outcome.evidence) };
    }
    case 'failed':
    case 'unknown':
      return { ok: false, failure: failureOf(call, outcome.failure, tries) };
    case 'suspended':
      throw outcome.thrown;
  }
}

function succeeded(
  { edit, effect, repairs, tries, warnings }: Settled,
  result: unknown,
): CallAnswer<unknown> {
  const answer = { ok: true, result, folded: false, attempts: tries, repairs, warnings } as const;
  if (effect === undefined && edit === undefined) return answer;
  return {
    ...answer,
    ...(effect === undefined ? {} : { key: effect.key }),
    ...(edit === undefined ? {} : { edit }),
  };
}

async function shapeFolded(call: Extract<Stopped, { at: 'folded' }>): Promise<CallAnswer<unknown>> {
  const { effect, host } = call;
  if (!effect.result.kept) {
    return { ok: false, failure: notKept(call, effect, effect.result.reason, 0, undefined) };
  }
  let result: unknown;
  try {
    result = await (host.codec ?? jsonCodec).decode(effect.result);
  } catch {
    const reason = `its stored form (${effect.result.type}) cannot be read`;
    return { ok: false, failure: notKept(call, effect, reason, 0, undefined) };
  }
  return {
    ok: true,
    result,
    folded: call.how,
    attempts: 0,
    repairs: [],
    warnings: [],
    key: effect.key,
    ...(effect.place.callId === undefined ? {} : { originalCallId: effect.place.callId }),
    ...(call.edit === undefined ? {} : { edit: call.edit }),
  };
}

type Shaped = {
  readonly request: CallRequest;
  readonly host: CallHost;
  readonly contract?: Contract;
  readonly edit?: Edit | undefined;
  readonly effect?: { readonly key: Failure['idempotencyKey'] };
  readonly key?: Failure['idempotencyKey'];
};

function notKept(
  call: Shaped,
  effect: Pick<EffectIn<'succeeded'>, 'key'> | undefined,
  reason: string,
  attempts: number,
  evidence: unknown,
): Failure {
  if (effect === undefined) throw new TypeError('only an effect can be done without a result');
  const details = { key: effect.key, reason, ...(evidence === undefined ? {} : { evidence }) };
  return failureOf(call, failed('result_not_kept', 'done', details), attempts);
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * A failure with its identity, who acts next and its texts. Put together field by field: to refuse is what an overload
 * does most, and to spread optional parts takes longer than all else about a refusal.
 */
export function failureOf(call: Shaped, known: FailureFacts, attempts: number): Failure {
  const { request, host, contract } = call;
  const isLeft = known.effect === 'unknown' && contract !== undefined && !canBeFoundOut(contract);
  const facts = isLeft ? leftToPerson(known) : known;
  const { kind, effect, next, details, stepsDone, cause } = facts;
  const { runId, intentId, threadId, locale } = host.run;
  const { tool, callId } = request;
  const failure = {
    kind,
    effect,
    next,
    details,
    tool,
    callId,
    runId,
    intentId,
    attempts,
    forModel: forModel(tool, facts, call.edit),
    forUser: forUser(tool, facts, locale),
  } as Writable<Failure>;
  if (stepsDone !== undefined) failure.stepsDone = stepsDone;
  if (cause !== undefined) failure.cause = cause;
  if (contract?.declared) failure.toolVersion = contract.entry.version;
  if (threadId !== undefined) failure.threadId = threadId;
  const key = call.effect?.key ?? call.key;
  if (key !== undefined) failure.idempotencyKey = key;
  return failure;
}
