import { readFileSync } from 'node:fs';
import { defineTool, type ResultFailure, read } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { coded, desk, failureOf, gist } from '../order-tools.fixture.js';
import { inBandFailure } from './in-band.js';
import { effectOfClasses } from './recorded-error.fixture.js';

const classes = ['read', 'idempotent-write', 'irreversible', 'undeclared'] as const;

const recorded = z.strictObject({
  name: z.string(),
  result: z.record(z.string(), z.unknown()),
  promises: z.literal('order').optional(),
  /** Absent where the result is none that failed. */
  kind: z.string().optional(),
  effect: effectOfClasses.optional(),
  retryAfterMs: z.number().positive().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});
const file = new URL('./in-band.cases.json', import.meta.url);
const records = z.array(recorded).parse(JSON.parse(readFileSync(file, 'utf8')));

function tool(failureWhen?: (order: { orderId: string }) => ResultFailure | undefined) {
  return defineTool({
    name: 'get_order',
    summary: 'Read an order.',
    input: z.object({}),
    output: z.object({ orderId: z.string() }),
    idempotency: read(),
    ...(failureWhen === undefined ? {} : { result: { failureWhen } }),
    resourceGroup: 'orders',
    owner: 'orders@team',
  });
}
const setting = (effectClass: (typeof classes)[number]) => ({
  class: effectClass,
  effectOnError: 'unknown' as const,
  notes: { keyCarried: false, requestsSent: 0, requestsRefused: 0 },
  wallMs: Date.UTC(2026, 0, 1),
});
const given = (value: unknown) => ({ raw: value, typed: () => value });

it('a text that MCP calls an error is told', () => {
  const result = { isError: true, content: 'no such user' };
  expect(inBandFailure(given(result), undefined, setting('read'))?.details).toMatchObject({
    message: 'no such user',
  });
});

describe('an error that a tool caught and returned', () => {
  it.each(classes)('is a failure of a tool that is %s, as if it had been thrown', (effectClass) => {
    const writes = effectClass === 'read' ? 'none' : 'unknown';
    const failureOf = (error: unknown) =>
      inBandFailure(given(error), undefined, setting(effectClass));
    expect(failureOf(new Error('the mail service is down'))).toMatchObject({
      kind: 'dependency_failed',
      effect: writes,
      details: { message: 'the mail service is down' },
    });
    expect(failureOf(Object.assign(new Error('no'), { status: 422 }))).toMatchObject({
      kind: 'business_error',
      effect: 'none',
    });
  });

  it('is told from data that looks like one', () => {
    const data = { name: 'Error', message: 'of a log' };
    expect(inBandFailure(given(data), undefined, setting('irreversible'))).toBeUndefined();
  });
});

describe('results that were seen', () => {
  describe.each(records.map((record) => [record.name, record] as const))('%s', (_, record) => {
    const { kind, effect, retryAfterMs, details = {} } = record;
    const entry = record.promises === undefined ? undefined : tool();

    it.each(classes)('of a tool that is %s', (effectClass) => {
      const failure = inBandFailure(given(record.result), entry, setting(effectClass));
      expect([failure?.kind, failure?.effect]).toEqual([kind, effect?.[effectClass]]);
      if (kind === undefined) return;
      expect(failure?.details).toMatchObject({
        ...details,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    });
  });
});

describe('what a tool printed', () => {
  it.each(['Error: rate limit exceeded', '{"isError":true}', '', 'HTTP 500'])(
    'is not searched for errors: %j',
    (text) => {
      expect(inBandFailure(given(text), tool(), setting('irreversible'))).toBeUndefined();
    },
  );
});

describe('an error message of LangChain', () => {
  const message = (fields: object) =>
    inBandFailure(
      given({ status: 'error', tool_call_id: 'c1', ...fields }),
      undefined,
      setting('irreversible'),
    );

  it('says what the tool said, without what a node appends for the model', () => {
    for (const [content, said] of [
      ['no mailbox', 'no mailbox'],
      [[{ type: 'text', text: 'no mailbox' }], 'no mailbox'],
      ['no mailbox\n Please fix your mistakes.', 'no mailbox'],
      ['no mailbox\nPlease fix your mistakes.', 'no mailbox'],
      ['no\n Please fix it\nmailbox', 'no\n Please fix it\nmailbox'],
    ] as const) {
      expect(message({ content })?.details).toStrictEqual({ message: said });
    }
    expect(message({ content: 5 })).toMatchObject({ kind: 'dependency_failed' });
    expect(message({})).toMatchObject({ kind: 'dependency_failed', effect: 'unknown' });
  });

  it('is none without the id of its call, or of a call that succeeded', () => {
    expect(message({ tool_call_id: undefined, content: 'no' })).toBeUndefined();
    expect(message({ status: 'success', content: 'no' })).toBeUndefined();
  });
});

describe('an error where the entry promises something else', () => {
  const envelope = (value: unknown, entry: Parameters<typeof inBandFailure>[1] = tool()) =>
    inBandFailure({ raw: {}, typed: () => value }, entry, setting('irreversible'));

  it('is a failure if it says anything', () => {
    expect(envelope({ error: { message: 'no' } })?.details).toStrictEqual({ message: 'no' });
    expect(envelope({ error: { code: 'E_ODD' } })?.details).toStrictEqual({ code: 'E_ODD' });
    expect(envelope({ error: { type: 'odd' } })?.details).toStrictEqual({});
    expect(envelope({ error: { odd: 1 } })).toBeUndefined();
    expect(envelope({ error: 'no' })).toBeUndefined();
  });

  it('is none in what is no object', () => {
    for (const value of [undefined, null, 'text', 5]) expect(envelope(value)).toBeUndefined();
    expect(inBandFailure(given(null), tool(), setting('read'))).toBeUndefined();
  });

  it('is none where the entry may have promised just that', () => {
    const output = z.looseObject({}).refine(async () => true);
    const entry = { ...tool(), output };
    expect(envelope({ error: { message: 'no' } }, entry)).toBeUndefined();
    const seen: unknown[] = [];
    const failureWhen = (value: unknown) => {
      seen.push(value);
      return undefined;
    };
    inBandFailure(given({ a: 1 }), { ...entry, failureWhen }, setting('read'));
    expect(seen).toEqual([{ a: 1 }]);
  });
});

describe('failureWhen', () => {
  const of = (
    stated: ResultFailure | undefined,
    effectClass: (typeof classes)[number] = 'irreversible',
  ) =>
    inBandFailure(
      given({ orderId: 'o1' }),
      tool(() => stated),
      setting(effectClass),
    );

  it('states the failure', () => {
    expect(of({ kind: 'business_error', code: 'sold_out', message: 'sold out' })).toMatchObject({
      kind: 'business_error',
      effect: 'none',
      details: { code: 'sold_out', message: 'sold out' },
    });
    expect(of({ kind: 'rate_limited', retryAfterMs: 2_000 })).toMatchObject({
      kind: 'rate_limited',
      effect: 'none',
      details: { retryAfterMs: 2_000, source: 'result' },
    });
    expect(of({ kind: 'dependency_failed', message: 'no stock service' })).toMatchObject({
      kind: 'dependency_failed',
      effect: 'unknown',
      details: { message: 'no stock service' },
    });
    expect(of({ kind: 'business_error' })?.details).toStrictEqual({});
    expect(of({ kind: 'dependency_failed' })?.details).toStrictEqual({});
    expect(of({ kind: 'rate_limited' })?.details).toStrictEqual({ source: 'result' });
    expect(of(undefined)).toBeUndefined();
  });

  it('states the effect of a write, and leaves none in doubt that only reads', () => {
    expect(of({ kind: 'business_error', effect: 'unknown' })?.effect).toBe('unknown');
    expect(of({ kind: 'dependency_failed', effect: 'none' })?.effect).toBe('none');
    expect(of({ kind: 'dependency_failed' }, 'read')?.effect).toBe('none');
    expect(of({ kind: 'dependency_failed', effect: 'unknown' }, 'read')?.effect).toBe('none');
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('a wait of %d is none', (retryAfterMs) => {
    expect(of({ kind: 'rate_limited', retryAfterMs })?.details).toEqual({ source: 'result' });
  });

  it('gets the result as promised, or as it came where it does not fit', () => {
    const seen: unknown[] = [];
    const entry = tool((order) => {
      seen.push(order);
      return undefined;
    });
    inBandFailure(given({ orderId: 'o1', more: 1 }), entry, setting('read'));
    inBandFailure(given({ ok: false }), entry, setting('read'));
    inBandFailure({ raw: 'a direction', typed: () => undefined }, entry, setting('read'));
    inBandFailure(given(undefined), entry, setting('read'));
    expect(seen).toEqual([{ orderId: 'o1' }, { ok: false }, undefined]);
  });
});

describe('through the guard', () => {
  const mail = { tool: 'send_mail', args: { to: 'A', subject: 's' }, callId: 'c1' } as const;
  const failedResult = { isError: true, content: [{ type: 'text', text: 'no mailbox' }] };

  it('an error result is a failure, written down as what it leaves behind', async () => {
    const shop = desk();
    const answer = await shop.run(() => shop.guard.call(mail, async () => failedResult));
    expect(gist(answer)).toBe('business_error, unknown');
    expect(failureOf(answer).forModel).toContain('no mailbox');
    expect((await shop.rows())[0]?.state).toBe('unknown');
  });

  it('an error result of a tool without an entry is one too', async () => {
    const shop = desk();
    const request = { tool: 'legacy', args: {}, callId: 'c1' };
    const answer = await shop.run(() => shop.guard.call(request, async () => failedResult));
    expect(gist(answer)).toBe('business_error, unknown');
  });

  it('an error result that comes late does not settle the row as done', async () => {
    const shop = desk();
    let respond: (value: unknown) => void = () => {};
    const result = new Promise((resolve) => {
      respond = resolve;
    });
    const call = shop.run(() => shop.guard.call(mail, () => result));
    expect(gist(await shop.after(1_000, call))).toBe('timed_out, unknown');
    respond({
      isError: true,
      content: [{ type: 'text', text: 'Input validation error: no subject' }],
    });
    await shop.clock.advance(0);
    expect((await shop.rows())[0]?.state).toBe('failed');
  });

  it('RS-25: an announced wait that cannot be read is said', async () => {
    const shop = desk({ settings: { attempts: 1 } });
    const error = Object.assign(coded('E'), { status: 429, headers: { 'retry-after': 'soon' } });
    const answer = await shop.run(() =>
      shop.guard.call(mail, async () => {
        throw error;
      }),
    );
    expect(gist(answer)).toBe('rate_limited, none');
    expect(shop.events.of('warning')).toMatchObject([
      { code: 'signal_unreadable', message: expect.stringContaining('retry-after: soon') },
    ]);
  });
});
