import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type Args,
  assumed,
  defineTool,
  delegates,
  measured,
  type OutputOf,
  type Result,
  read,
} from './index.js';

const getOrder = defineTool({
  name: 'get_order',
  version: '1.0.0',
  summary: 'Look up one order by its id.',
  input: z.object({ orderId: z.string().regex(/^ord_\d+$/) }),
  output: z.object({ orderId: z.string(), deliveryAt: z.iso.datetime(), version: z.int() }),
  idempotency: read(),
  latency: measured({ p50: 40, p95: 180, p99: 420, samples: 5200, measuredAt: '2026-11-02' }),
  resourceGroup: 'orders-db',
  owner: 'orders@team',
});

const setDelivery = defineTool({
  name: 'set_delivery',
  version: '1.2.0',
  summary: 'Move the delivery of an order to another time.',
  input: z.object({ orderId: z.string().regex(/^ord_\d+$/), deliveryAt: z.iso.datetime() }),
  output: z.object({ orderId: z.string(), deliveryAt: z.iso.datetime() }),
  idempotency: {
    class: 'idempotent-write',
    sentAs: { header: 'Idempotency-Key' },
    serverKeepsKeyFor: '7d',
  },
  capture: { tool: getOrder, args: ({ args }) => ({ orderId: args.orderId }) },
  compensation: {
    tool: 'set_delivery',
    strength: 'strong',
    within: '2h',
    args: ({ args, before }) => ({ orderId: args.orderId, deliveryAt: before.deliveryAt }),
  },
  arguments: { orderId: { exact: true }, deliveryAt: {} },
  timeouts: { total: '5s' },
  latency: assumed(2_000),
  resourceGroup: 'orders-db',
  serialBy: 'orderId',
  owner: 'orders@team',
});

const findSentMail = defineTool({
  name: 'find_sent_mail',
  summary: 'Find a mail by the key it was sent with.',
  input: z.object({ key: z.string() }),
  output: z.object({ count: z.int(), asOf: z.coerce.date() }),
  idempotency: read(),
  resourceGroup: 'mail',
  owner: 'crm@team',
});

const sendMail = defineTool({
  name: 'send_mail',
  version: '3.0.0',
  summary: 'Send one e-mail to a customer.',
  input: z.object({ to: z.email(), subject: z.string().max(200), body: z.string() }),
  output: z.object({ mailId: z.string() }),
  idempotency: {
    class: 'irreversible',
    key: { identity: ['to', 'subject'], foldCase: ['to'] },
    repeat: 'ask',
    onUnknown: 'assume-done',
  },
  result: {
    failureWhen: (r) =>
      r.mailId === '' ? { kind: 'business_error', code: 'bounced', effect: 'none' } : undefined,
  },
  probe: {
    tool: findSentMail,
    args: ({ idempotencyKey }) => ({ key: idempotencyKey }),
    answer: (r) =>
      r.count === 0
        ? { found: 'absent', authoritative: true, asOf: r.asOf }
        : { found: 'one', evidence: r, result: { mailId: 'mail_1' } },
    inFlightHorizon: '90s',
    timeout: '5s',
  },
  compensation: { tool: 'none', avoidBy: 'place-last', reason: 'a mail cannot be unsent' },
  latency: assumed(3_000),
  resourceGroup: 'mail',
  owner: 'crm@team',
});

const charge = defineTool({
  name: 'charge',
  summary: 'Charge a card.',
  input: z.object({ amount: z.int(), requestId: z.string() }),
  idempotency: {
    class: 'idempotent-write',
    sentAs: { argument: 'requestId' },
    serverKeepsKeyFor: '1d',
  },
  resourceGroup: 'payments',
  owner: 'billing@team',
});

describe('an entry', () => {
  it('holds a read with its defaults', () => {
    const { input, output, modelInput, digest, ...rest } = findSentMail;
    expect(rest).toEqual({
      name: 'find_sent_mail',
      version: '1.0.0',
      summary: 'Find a mail by the key it was sent with.',
      idempotency: { class: 'read' },
      examples: [],
      exactArguments: new Set(),
      resultCap: { keep: [] },
      redactedResult: [],
      timeouts: {},
      resourceGroup: 'mail',
      sideEffect: 'none',
      owner: 'crm@team',
    });
    expect(modelInput).toBe(input);
    expect(output).toBeDefined();
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('holds a keyed write with every default filled in and durations in milliseconds', () => {
    expect(setDelivery.idempotency).toEqual({
      class: 'idempotent-write',
      key: { scope: 'intent', volatile: [], trim: [], foldCase: [], nfc: [] },
      repeat: 'collapse',
      onUnknown: 'hand-off',
      onEdit: 'conflict',
      effectOnError: 'unknown',
      sentAs: { header: 'Idempotency-Key' },
      serverKeepsKeyForMs: 604_800_000,
    });
    expect(setDelivery.sideEffect).toBe('external');
    expect(setDelivery.timeoutMs).toBe(5_000);
    expect(setDelivery.exactArguments).toEqual(new Set(['orderId']));
    expect(setDelivery.compensation).toMatchObject({ tool: 'set_delivery', withinMs: 7_200_000 });
  });

  it('keeps what an irreversible write declares', () => {
    expect(sendMail.idempotency).toEqual({
      class: 'irreversible',
      key: {
        scope: 'intent',
        identity: ['to', 'subject'],
        volatile: [],
        trim: [],
        foldCase: ['to'],
        nfc: [],
      },
      repeat: 'ask',
      onUnknown: 'assume-done',
      onEdit: 'conflict',
      effectOnError: 'unknown',
    });
    expect(sendMail.probe?.inFlightHorizonMs).toBe(90_000);
    expect(sendMail.probe?.timeoutMs).toBe(5_000);
  });

  it('hands its callbacks on', () => {
    const { compensation, probe, capture } = setDelivery;
    const args = { orderId: 'ord_1', deliveryAt: '2026-12-01T10:00:00Z' };
    const before = { orderId: 'ord_1', deliveryAt: '2026-11-02T10:00:00Z', version: 3 };
    expect(capture?.args({ args })).toEqual({ orderId: 'ord_1' });
    expect(
      compensation && 'args' in compensation && compensation.args({ args, result: args, before }),
    ).toEqual({ orderId: 'ord_1', deliveryAt: '2026-11-02T10:00:00Z' });
    expect(probe).toBeUndefined();
    const asOf = new Date(0);
    expect(sendMail.probe?.answer({ count: 0, asOf })).toEqual({
      found: 'absent',
      authoritative: true,
      asOf,
    });
    expect(sendMail.failureWhen?.({ mailId: '' })).toMatchObject({ code: 'bounced' });
    expect(sendMail.failureWhen?.({ mailId: 'm' })).toBeUndefined();
  });

  it('hides the argument that carries the key from the model', () => {
    expect(Object.keys(z.toJSONSchema(charge.modelInput).properties ?? {})).toEqual(['amount']);
    expect(charge.input.shape.requestId).toBeDefined();
    expectTypeOf<z.input<typeof charge.modelInput>>().toEqualTypeOf<{ amount: number }>();
  });

  it('keeps what tells the model when to call and how, and how long to wait', () => {
    const export_ = defineTool({
      name: 'get_export',
      summary: 'Look whether an export is ready.',
      useWhen: 'An export was started.',
      avoidWhen: 'None was started.',
      input: z.object({ exportId: z.string(), page: z.int().default(1) }),
      idempotency: read(),
      examples: [
        { args: { exportId: 'ex_1' }, note: 'the first page' },
        { args: { exportId: '2' } },
      ],
      timeouts: { firstByte: '2s', idle: '1s' },
      polling: '30s',
      resourceGroup: 'exports',
      owner: 'data@team',
    });
    expect(export_).toMatchObject({
      useWhen: 'An export was started.',
      avoidWhen: 'None was started.',
      examples: [
        { args: { exportId: 'ex_1' }, note: 'the first page' },
        { args: { exportId: '2' } },
      ],
      timeouts: { firstByteMs: 2_000, idleMs: 1_000 },
      pollingMs: 30_000,
    });
    expect(export_.timeoutMs).toBeUndefined();
  });

  it('gives a delegating tool no side effect of its own', () => {
    const research = defineTool({
      name: 'research',
      summary: 'Ask the research agent.',
      input: z.object({ question: z.string() }),
      idempotency: delegates(),
      resourceGroup: 'agents',
      owner: 'ai@team',
    });
    expect(research.idempotency).toEqual({ class: 'delegates' });
    expect(research.sideEffect).toBe('none');
  });

  it('is frozen, down to its lists', () => {
    expect(Object.isFrozen(sendMail)).toBe(true);
    expect(Object.isFrozen(sendMail.idempotency)).toBe(true);
    expect(Object.isFrozen(sendMail.probe)).toBe(true);
    expect(Object.isFrozen(sendMail.compensation)).toBe(true);
    expect(Object.isFrozen(sendMail.examples)).toBe(true);
    expect(Object.isFrozen(sendMail.timeouts)).toBe(true);
    expect(sendMail.idempotency).toSatisfy(
      (i: typeof sendMail.idempotency) =>
        i.class === 'irreversible' && Object.isFrozen(i.key.identity),
    );
  });
});

describe('the types of an entry', () => {
  it('are inferred from the schemas', () => {
    expectTypeOf<Args<typeof setDelivery>>().toEqualTypeOf<{
      orderId: string;
      deliveryAt: string;
    }>();
    expectTypeOf<Result<typeof getOrder>>().toEqualTypeOf<{
      orderId: string;
      deliveryAt: string;
      version: number;
    }>();
    expectTypeOf<OutputOf<typeof findSentMail>>().toEqualTypeOf<{ count: number; asOf: Date }>();
    expectTypeOf<Result<typeof charge>>().toBeUnknown();
    expectTypeOf(setDelivery.name).toEqualTypeOf<'set_delivery'>();
  });

  it('refuse what the schemas do not have', () => {
    const base = {
      summary: 's',
      input: z.object({ a: z.string() }),
      resourceGroup: 'g',
      owner: 'o',
    };
    // Compiled, never run.
    const declarations = () => {
      defineTool({
        ...base,
        name: 'x',
        output: z.object({ b: z.number() }),
        idempotency: {
          class: 'idempotent-write',
          // @ts-expect-error no such argument
          key: { identity: ['nope'] },
          sentAs: { header: 'h' },
          serverKeepsKeyFor: '1d',
        },
        compensation: {
          tool: 'y',
          strength: 'weak',
          within: '1h',
          // @ts-expect-error no such result field
          args: ({ result }) => ({ z: result.nope }),
        },
      });
      defineTool({
        ...base,
        name: 'y',
        input: z.object({ orderId: z.string() }),
        idempotency: { class: 'irreversible' },
        capture: { tool: getOrder, args: ({ args }) => ({ orderId: args.orderId }) },
        compensation: {
          tool: 'y',
          strength: 'weak',
          within: '1h',
          // @ts-expect-error no such field in what was captured
          args: ({ before }) => ({ z: before.nope }),
        },
      });
      defineTool({
        ...base,
        name: 'z',
        output: z.object({ mailId: z.string() }),
        idempotency: { class: 'irreversible' },
        probe: {
          tool: findSentMail,
          // @ts-expect-error the probe takes a key
          args: () => ({ id: 'x' }),
          // @ts-expect-error the evidence's result is not this tool's result
          answer: () => ({ found: 'one', evidence: 1, result: { mailId: 5 } }),
        },
      });
      defineTool({
        ...base,
        name: 'no_capture',
        idempotency: { class: 'irreversible' },
        compensation: {
          tool: 'y',
          strength: 'weak',
          within: '1h',
          // @ts-expect-error nothing was captured
          args: ({ before }) => ({ z: before.orderId }),
        },
      });
      defineTool({
        ...base,
        name: 'failing',
        output: z.object({ ok: z.boolean() }),
        idempotency: read(),
        result: {
          // @ts-expect-error no such result field
          failureWhen: (r) => (r.nope ? { kind: 'rate_limited' } : undefined),
        },
        // @ts-expect-error not the arguments of this tool
        examples: [{ args: { b: 'x' } }],
      });
      defineTool({
        ...base,
        name: 'carried',
        input: z.object({ a: z.string(), b: z.string() }),
        idempotency: {
          class: 'idempotent-write',
          sentAs: { argument: 'a' },
          serverKeepsKeyFor: '1d',
        },
        // @ts-expect-error the guard fills in the argument that carries the key
        examples: [{ args: { a: 'x', b: 'y' } }],
      });
      // @ts-expect-error no such argument to serialize by
      defineTool({ ...base, name: 'w', idempotency: read(), serialBy: 'nope' });
      // @ts-expect-error no such argument
      defineTool({ ...base, name: 'v', idempotency: read(), arguments: { nope: { exact: true } } });
      defineTool({
        ...base,
        name: 'u',
        idempotency: {
          class: 'idempotent-write',
          // @ts-expect-error the carrier is no argument
          sentAs: { argument: 'nope' },
          serverKeepsKeyFor: '1d',
        },
      });
      // @ts-expect-error not a unit of time
      defineTool({ ...base, name: 't', idempotency: read(), timeouts: { total: '5 minutes' } });
      // @ts-expect-error there is no such setting
      defineTool({ ...base, name: 's', idempotency: read(), selfRepair: 1 });
    };
    expectTypeOf(declarations).toBeFunction();
  });
});
