import { LedgerError, type LedgerStore, memoryLedger } from '@holdfast/effect-ledger';
import { describe, expect, it } from 'vitest';
import { memorySink } from '../events/memory-sink.js';
import { manualClock } from '../testing/manual-clock.js';
import { type IdempotencyOptions, idempotencyMiddleware } from './idempotency-middleware.js';

type Answer = (request: Request) => Response | Promise<Response>;

const done: Answer = async (request) =>
  Response.json({ did: await request.text() }, { status: 201, headers: { 'x-order': '7' } });

/** A service whose requests the test answers, and counts. */
function service(answer: Answer, options: Partial<IdempotencyOptions> = {}) {
  const clock = manualClock();
  const events = memorySink();
  const ledger: LedgerStore = options.ledger ?? memoryLedger({ now: clock.wallMs });
  const idempotent = idempotencyMiddleware({ ledger, clock, events: [events], ...options });
  let answered = 0;
  const send = (
    body: string,
    headers: Record<string, string> = {},
    method = 'POST',
    path = '/orders',
  ) =>
    idempotent(
      new Request(`http://shop.test${path}`, {
        method,
        headers,
        ...(method === 'GET' ? {} : { body }),
      }),
      (request) => {
        answered += 1;
        return answer(request);
      },
    );
  return { send, clock, events, ledger, answered: () => answered };
}

const keyed = (key: string) => ({ 'idempotency-key': key });
const codeOf = async (response: Response) => {
  const { code } = (await response.json()) as { readonly code: string };
  return [response.status, code];
};

describe('a request with a key', () => {
  it('is done once, and its answer is given again', async () => {
    const { send, answered, events } = service(done);
    const [first, again] = [await send('a', keyed('k1')), await send('a', keyed('"k1"'))];
    expect(answered()).toBe(1);
    expect(await first.json()).toEqual({ did: 'a' });
    expect([again.status, await again.json()]).toEqual([201, { did: 'a' }]);
    expect(again.headers.get('x-order')).toBe('7');
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(events.of('effect_folded')).toHaveLength(1);
  });

  it.each([
    ['another body', 'b', '/orders', {}],
    ['another query', 'a', '/orders?dry=1', {}],
    ['another kind of body', 'a', '/orders', { 'content-type': 'application/xml' }],
  ])('is refused where the key was used with %s', async (_, body, path, headers) => {
    const { send, answered } = service(done);
    await send('a', keyed('k1'));
    expect(await codeOf(await send(body, { ...keyed('k1'), ...headers }, 'POST', path))).toEqual([
      422,
      'idempotency_key_reused',
    ]);
    expect(answered()).toBe(1);
  });

  it('is another one at another place, and of another caller', async () => {
    const { send, answered } = service(done, {
      callerOf: (request) => request.headers.get('authorization') ?? undefined,
    });
    await send('a', keyed('k1'));
    await send('a', keyed('k1'), 'POST', '/refunds');
    await send('a', { ...keyed('k1'), authorization: 'Bearer ann' });
    await send('a', { ...keyed('k1'), authorization: 'Bearer bob' });
    expect(answered()).toBe(4);
  });

  it('is told that the first one is under way', async () => {
    let release = (_: Response): void => {};
    const opened = new Promise<Response>((resolve) => {
      release = resolve;
    });
    const { send, answered } = service(() => opened);
    const first = send('a', keyed('k1'));
    const second = await send('a', keyed('k1'));
    expect(second.headers.get('retry-after')).toBe('1');
    expect(await codeOf(second)).toEqual([409, 'request_under_way']);
    release(new Response(null, { status: 204 }));
    expect((await first).status).toBe(204);
    const third = await send('a', keyed('k1'));
    expect([third.status, third.headers.get('idempotency-replayed')]).toEqual([204, 'true']);
    expect(answered()).toBe(1);
  });

  it.each([400, 404, 409, 429])(
    'may be tried again after %d, which did nothing',
    async (status) => {
      let isFirst = true;
      const { send, answered } = service(() => {
        const response = new Response('no', { status: isFirst ? status : 200 });
        isFirst = false;
        return response;
      });
      expect((await send('a', keyed('k1'))).status).toBe(status);
      expect((await send('a', keyed('k1'))).status).toBe(200);
      expect(answered()).toBe(2);
    },
  );

  it('is not done again after 500, nor after it broke', async () => {
    const { send, answered } = service((request) => {
      if (request.headers.has('x-break')) throw new Error('the disk is full');
      return new Response('oh', { status: 500 });
    });
    expect((await send('a', keyed('k1'))).status).toBe(500);
    expect(await codeOf(await send('a', keyed('k1')))).toEqual([409, 'outcome_unknown']);
    await expect(send('a', { ...keyed('k2'), 'x-break': '1' })).rejects.toThrow('disk');
    expect(await codeOf(await send('a', keyed('k2')))).toEqual([409, 'outcome_unknown']);
    expect(answered()).toBe(2);
  });

  it('is done again where its service says that it did nothing', async () => {
    const { send, answered } = service(() => new Response('busy', { status: 503 }), {
      effectOf: () => 'none',
    });
    await send('a', keyed('k1'));
    await send('a', keyed('k1'));
    expect(answered()).toBe(2);
  });

  it('is said to be done where its answer was too large to be kept', async () => {
    const { send } = service(() => new Response('x'.repeat(1_000_000)));
    expect((await (await send('a', keyed('k1'))).text()).length).toBe(1_000_000);
    expect(await codeOf(await send('a', keyed('k1')))).toEqual([409, 'result_not_kept']);
  });

  it('gives nobody the cookies of the first answer again', async () => {
    const { send } = service(
      () => new Response('in', { headers: { 'set-cookie': 'session=secret' } }),
    );
    expect((await send('a', keyed('k1'))).headers.get('set-cookie')).toBe('session=secret');
    expect((await send('a', keyed('k1'))).headers.get('set-cookie')).toBeNull();
  });

  it('is not begun where it cannot be written down', async () => {
    const { send, answered, ledger } = service(done);
    await ledger.close();
    expect(await codeOf(await send('a', keyed('k1')))).toEqual([503, 'ledger_unavailable']);
    expect(answered()).toBe(0);
  });
});

describe('a key', () => {
  it.each(['', '""', '"a', 'a b', '"a", "b"', 'x'.repeat(256)])('cannot be %j', async (key) => {
    const { send, answered } = service(done);
    expect(await codeOf(await send('a', keyed(key)))).toEqual([400, 'idempotency_key_invalid']);
    expect(answered()).toBe(0);
  });

  it('is demanded where the service says so', async () => {
    const { send, answered } = service(done, {
      requires: ({ url }) => url.endsWith('/orders'),
    });
    expect(await codeOf(await send('a'))).toEqual([400, 'idempotency_key_missing']);
    expect((await send('a', {}, 'POST', '/notes')).status).toBe(201);
    expect(answered()).toBe(1);
  });

  it('means nothing to requests that are the same when they come twice', async () => {
    const { send, answered } = service(done);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      await send('a', keyed('k1'), method);
      await send('a', keyed('k1'), method);
    }
    expect(answered()).toBe(6);
  });
});

describe('what became of a request', () => {
  it('is written down later where it could not be at once', async () => {
    const clock = manualClock();
    const ledger = memoryLedger({ now: clock.wallMs });
    let isAway = false;
    const store: LedgerStore = Object.assign(Object.create(ledger), {
      submitEvidence: (...given: Parameters<LedgerStore['submitEvidence']>) =>
        isAway
          ? Promise.reject(new LedgerError('full', 'the disk is full'))
          : ledger.submitEvidence(...given),
    });
    const { send, answered, events } = service(done, { ledger: store, clock });
    isAway = true;
    expect((await send('a', keyed('k1'))).status).toBe(201);
    expect(events.of('warning').map(({ code }) => code)).toEqual(['settlement_delayed']);
    isAway = false;
    const again = await send('a', keyed('k1'));
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(answered()).toBe(1);
  });
});

it('checks its options', () => {
  expect(() => idempotencyMiddleware({} as never)).toThrow('ledger');
  expect(() => idempotencyMiddleware({ ledger: memoryLedger(), requires: true as never })).toThrow(
    'requires',
  );
});
