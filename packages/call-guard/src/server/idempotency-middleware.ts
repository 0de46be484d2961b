import { type EffectKey, isLedgerError, type LedgerStore } from '@holdfast/effect-ledger';
import { SetupError, sha256 } from '@holdfast/tool-registry';
import type { Clock } from '../clock.js';
import type { EventSink } from '../events/event.js';
import { readIdempotencyKey } from './idempotency-key.js';
import { KeyedWork } from './keyed-work.js';
import { problem } from './problem.js';
import { keptResponse, storedForm } from './stored-response.js';

/** What of an answer is kept for a caller that asks again, in bytes. */
const KEEPS_BYTES = 1_048_576;

export interface IdempotencyOptions {
  /** Where requests with a key are written down; durable, or a crash forgets them. Stays the caller's to close. */
  readonly ledger: LedgerStore;
  /** What this service is called in the ledger: processes of one name share their keys. Default: `http`. */
  readonly service?: string;
  /** Whose effects these are. Default: `default`. */
  readonly tenant?: string;
  /** Which requests must bring a key. Default: none. */
  readonly requires?: (request: Request) => boolean;
  /** Who sends a request: the same key of somebody else is another one. Default: all are one. */
  readonly callerOf?: (request: Request) => string | undefined;
  /**
   * What a request did that is answered so. Default: by its status, nothing below 500 from 400 on, nobody
   * knows from there on.
   */
  readonly effectOf?: (response: Response) => 'done' | 'none' | 'unknown';
  readonly events?: readonly EventSink[];
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Answers a request, or has `next` do it. */
export type Middleware = (
  request: Request,
  next: (request: Request) => Response | Promise<Response>,
) => Promise<Response>;

/** Methods whose requests change something and are not the same when they come twice. */
const GUARDED: ReadonlySet<string> = new Set(['POST', 'PATCH']);

/**
 * Makes a plain HTTP service keep its half of an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a
 * POST or PATCH with a key is done once. A repetition has the same answer, with `Idempotency-Replayed: true`; 409 while
 * the first is under way, and where nobody knows what became of it; 422 for the same key with another request; 400
 * where a key is missing or is none. An answer that says that nothing was done is not kept: the same key may try
 * again.
 *
 * Bodies are read into memory. A key is one for its service, not for one caller, unless `callerOf` tells callers
 * apart.
 *
 * @returns a function of web-standard `Request` and `Response`
 * @throws SetupError `option_out_of_range`
 * @example
 * const idempotent = idempotencyMiddleware({ ledger: sqliteLedger('orders.db') })
 * app.use(async (c, next) => idempotent(c.req.raw, async () => { await next(); return c.res }))
 */
export function idempotencyMiddleware(options: IdempotencyOptions): Middleware {
  check(options);
  const { ledger, service = 'http', tenant, events, clock } = options;
  const keyed = new KeyedWork({ ledger, service, tenant, events, clock, keepsBytes: KEEPS_BYTES });
  const { requires = () => false, callerOf = () => undefined, effectOf = effectOfStatus } = options;
  return async function idempotency(request, next) {
    if (!GUARDED.has(request.method)) return next(request);
    const key = readIdempotencyKey(request.headers);
    if (key === 'unreadable') return problem(400, 'idempotency_key_invalid');
    if (key === undefined) {
      return requires(request) ? problem(400, 'idempotency_key_missing') : next(request);
    }
    const { method, url } = request;
    const { pathname, search } = new URL(url);
    const body = sha256(new Uint8Array(await request.clone().arrayBuffer()));
    const asking = {
      tool: `${method} ${pathname}`,
      caller: callerOf(request),
      key,
      asked: { search, type: request.headers.get('content-type'), body },
      whileUnderWay: 'tell',
    } as const;
    try {
      const end = await keyed.once(asking, async () => {
        const response = await next(request);
        const effect = effectOf(response);
        return effect === 'done'
          ? { value: response, effect, stored: await storedForm(response) }
          : { value: response, effect, why: `answered with ${response.status}` };
      });
      switch (end.found) {
        case 'nothing':
          return end.value;
        case 'done':
          return end.result.kept
            ? keptResponse(end.result)
            : problem(409, 'result_not_kept', end.result.reason);
        case 'under-way':
          return problem(409, 'request_under_way');
        case 'unknown':
          return problem(409, 'outcome_unknown', told(end.key, end.reason));
        case 'other-request':
          return problem(422, 'idempotency_key_reused');
      }
    } catch (error) {
      if (!isLedgerError(error)) throw error;
      return problem(503, 'ledger_unavailable');
    }
  };
}

function effectOfStatus({ status }: Response): 'done' | 'none' | 'unknown' {
  if (status < 400) return 'done';
  return status < 500 ? 'none' : 'unknown';
}

function told(key: EffectKey, reason: string): string {
  return `${reason}; its record has the key ${key}`;
}

function check({ ledger, ...functions }: IdempotencyOptions): void {
  if (typeof ledger !== 'object' || !('claim' in ledger)) {
    const fix = "give a ledger: sqliteLedger('orders.db') or memoryLedger()";
    throw new SetupError('option_out_of_range', [
      { field: 'ledger', reason: `${typeof ledger} is not one`, fix },
    ]);
  }
  for (const name of ['requires', 'callerOf', 'effectOf'] as const) {
    const given: unknown = functions[name];
    if (given === undefined || typeof given === 'function') continue;
    throw new SetupError('option_out_of_range', [
      { field: name, reason: `${typeof given} is no function`, fix: 'give one, or leave it out' },
    ]);
  }
}
