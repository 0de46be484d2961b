import { type Clock, createSystemClock, type EventSink, KeyedWork } from '@holdfast/call-guard';
import {
  type EffectKey,
  isLedgerError,
  type LedgerStore,
  type StoredResult,
} from '@holdfast/effect-ledger';
import { type Registry, SetupError } from '@holdfast/tool-registry';
import { META } from '../proxy/meta.js';
import { CallTime } from './call-time.js';
import { type GuardedRequest, withinRequest } from './guarded-request.js';
import { type Ended, keptAnswer, workEffectOf } from './kept-answer.js';
import {
  aroundToolCalls,
  callerOf,
  type Handler,
  type HandlerContext,
  type ServerRequest,
  signalOf,
  withSignal,
} from './request-handlers.js';
import { type Refusal, readServedCall, type ServedCall } from './served-call.js';
import { type EffectSeen, effectOf, type Handled, isErrorResult } from './served-effect.js';
import { refusalResult, withEffect, withMeta } from './served-result.js';

/** What of a result is kept for a caller that asks again, in bytes. */
const KEEPS_BYTES = 1_048_576;

export interface HonorOptions {
  /** Where calls with a key are written down; durable, or a crash forgets them. Stays the caller's to close. */
  readonly ledger: LedgerStore;
  /**
   * What this server is called in the ledger: processes of one name on one ledger share their keys. Default:
   * `mcp`.
   */
  readonly service?: string;
  /** Whose effects these are. Default: `default`. */
  readonly tenant?: string;
  /**
   * What is declared of the tools: under which name in `_meta` a key comes, how long a tool takes at the least
   * (its measured median), and what its errors mean. Default: nothing.
   */
  readonly registry?: Registry;
  /** What an error means that nobody says anything about. Default: `unknown`. */
  readonly effectOnError?: 'none' | 'unknown';
  readonly events?: readonly EventSink[];
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** A server that {@link honorGuard} takes: of either version of the SDK, `McpServer` or `Server`. */
export interface AnyServer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

/**
 * Makes an MCP server keep its half of what a guarded caller counts on. A call with a key is done once: a
 * repetition waits for it and has its result, in this process and in the next one on the same ledger, and the
 * same key with other arguments is a conflict. What cannot be done in the time that is left is refused; what
 * takes longer is told as `timed_out` while the work goes on, and its result is kept. A tool learns of it
 * by `guardedRequest()`, and by the signal that the SDK gives it anyway. Errors say in
 * `_meta['dev.holdfast/effect']` what they did.
 *
 * Calls that bring nothing of the guard's pass as before.
 *
 * @returns the same server
 * @throws SetupError `option_out_of_range`
 * @example honorGuard(server, { ledger: sqliteLedger('server.db') })
 */
export function honorGuard<S extends AnyServer>(server: S, options: HonorOptions): S {
  checkOptions(options);
  const { clock = createSystemClock() } = options;
  const { ledger, service = 'mcp', tenant, events } = options;
  const keyed = new KeyedWork({ ledger, service, tenant, events, clock, keepsBytes: KEEPS_BYTES });
  aroundToolCalls(server, (request, context, next) =>
    serve(request, context, next, { options, clock, keyed }),
  );
  return server;
}

interface Serving {
  readonly options: HonorOptions;
  readonly clock: Clock;
  readonly keyed: KeyedWork;
}

async function serve(
  request: ServerRequest,
  context: HandlerContext,
  next: Handler,
  serving: Serving,
): Promise<unknown> {
  const { clock } = serving;
  const call = readServedCall(request, serving.options.registry);
  const { tool, leftMs, neededMs, flaw } = call;
  if (flaw !== undefined) return refusalResult(tool, flaw, 'none');
  if (leftMs !== undefined && (leftMs <= 0 || leftMs < neededMs)) {
    const details = { neededMs, leftMs: Math.max(0, leftMs) };
    return refusalResult(tool, { kind: 'deadline_exceeded', details }, 'none');
  }
  const beganAt = clock.monotonicMs();
  const time = new CallTime(leftMs, signalOf(context), clock);
  const handle = (): Promise<Ended> => handleCall(call, request, context, next, time, serving);
  const work =
    call.key === undefined ? handle() : once(call, call.key, context, handle, time, serving);
  const isOver = (): void => time.end();
  void work.then(isOver, isOver);
  const first = await Promise.race([work, time.over]);
  const ended = first === 'over' ? outOfTime(tool, leftMs ?? 0) : first;
  const spentMs = Math.ceil(clock.monotonicMs() - beganAt);
  return isGuarded(call) ? told(ended, spentMs) : plain(ended);
}

/** Calls the tool; what it does then, its own code may say. */
async function handleCall(
  call: ServedCall,
  request: ServerRequest,
  context: HandlerContext,
  next: Handler,
  time: CallTime,
  { options }: Serving,
): Promise<Ended> {
  let stated: EffectSeen | undefined;
  const guarded: GuardedRequest = {
    idempotencyKey: call.key,
    attempt: call.attempt,
    intent: call.intent,
    signal: time.signal,
    get remainingMs() {
      return time.remainingMs;
    },
    states(effect) {
      stated = effect;
    },
  };
  let handled: Handled;
  try {
    const result = await withinRequest(guarded, () =>
      next(request, withSignal(context, time.signal)),
    );
    handled = { result };
  } catch (error) {
    handled = { error };
  }
  const otherwise = call.effectOnError ?? options.effectOnError ?? 'unknown';
  return { ...handled, effect: effectOf(handled, stated, otherwise) };
}

/** The same for a call with a key, unless it is known what became of it. */
async function once(
  { tool, args }: ServedCall,
  key: string,
  context: HandlerContext,
  handle: () => Promise<Ended>,
  time: CallTime,
  { keyed }: Serving,
): Promise<Ended> {
  const asking = { tool, caller: callerOf(context), key, asked: args } as const;
  try {
    const end = await keyed.once(
      { ...asking, whileUnderWay: 'wait' },
      async () => {
        const ended = await handle();
        return { value: ended, ...workEffectOf(ended) };
      },
      time.signal,
    );
    switch (end.found) {
      case 'nothing':
        return end.value;
      case 'done':
        return again(tool, end.key, end.result);
      case 'under-way':
        return refused(tool, { kind: 'in_flight', details: {} }, 'unknown');
      case 'unknown': {
        const details = { key: end.key, since: end.since, checking: false };
        return refused(tool, { kind: 'outcome_unknown', details }, 'unknown');
      }
      case 'other-request': {
        const details = { key: end.key, argsDigest: end.argsDigest };
        return refused(tool, { kind: 'intent_conflict', details }, 'none');
      }
    }
  } catch (error) {
    if (!isLedgerError(error)) throw error;
    const details = { reason: error.message };
    return refused(tool, { kind: 'ledger_unavailable', details }, 'none');
  }
}

/** The answer of the call that was made first. */
function again(tool: string, key: EffectKey, stored: StoredResult): Ended {
  const answer = stored.kept ? keptAnswer(stored) : undefined;
  if (answer === undefined) {
    const reason = stored.kept ? `its form (${stored.type}) is not known` : stored.reason;
    return refused(tool, { kind: 'result_not_kept', details: { key, reason } }, 'done');
  }
  return 'result' in answer
    ? { ...answer, result: withMeta(answer.result, { [META.folded]: 'replayed' }) }
    : answer;
}

function outOfTime(tool: string, afterMs: number): Ended {
  const details = { limit: 'run', afterMs, stillRunning: true } as const;
  return refused(tool, { kind: 'timed_out', details }, 'unknown');
}

function refused(tool: string, refusal: Refusal, effect: EffectSeen): Ended {
  return { result: refusalResult(tool, refusal, effect), effect };
}

/** Whether the caller says anything that only a guarded one says. */
function isGuarded({ key, leftMs, attempt, intent }: ServedCall): boolean {
  return [key, leftMs, attempt, intent].some((said) => said !== undefined);
}

function told(ended: Ended, spentMs: number): unknown {
  if ('error' in ended) throw withEffect(ended.error, ended.effect);
  const { result, effect } = ended;
  return withMeta(result, {
    ...(isErrorResult(result) ? { [META.effect]: effect } : {}),
    [META.spentMs]: spentMs,
  });
}

function plain(ended: Ended): unknown {
  if ('error' in ended) throw ended.error;
  return ended.result;
}

function checkOptions({ ledger }: HonorOptions): void {
  if (typeof ledger === 'object' && 'claim' in ledger) return;
  const fix = "give a ledger: sqliteLedger('server.db') or memoryLedger()";
  throw new SetupError('option_out_of_range', [
    { field: 'ledger', reason: `${typeof ledger} is not one`, fix },
  ]);
}
