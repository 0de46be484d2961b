/** An order desk's tools, one or more of each class, and a guard over them whose time is the test's. */
import { type Effect, type LedgerStore, memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool, measured, read } from '@holdfast/tool-registry';
import { z } from 'zod';
import type { CallAnswer } from './call/answer.js';
import { currentNotes } from './call-context.js';
import { memorySink } from './events/memory-sink.js';
import type { Failure } from './failure.js';
import { createGuard, type Guard } from './guard.js';
import type { GuardOptions } from './options.js';
import { type ManualClock, manualClock } from './testing/manual-clock.js';

const getOrder = defineTool({
  name: 'get_order',
  summary: 'Read an order.',
  input: z.object({ orderId: z.string() }),
  output: z.object({ orderId: z.string(), slot: z.string() }),
  idempotency: read(),
  timeouts: { total: '1s' },
  latency: measured({ p50: 100, p95: 300, p99: 400, samples: 100, measuredAt: '2026-01-01' }),
  resourceGroup: 'orders',
  owner: 'orders@team',
});

const findCharge = defineTool({
  name: 'find_charge',
  summary: 'Look a charge up by its order.',
  input: z.object({ orderId: z.string() }),
  output: z.object({
    id: z.string().nullable(),
    asOf: z.number(),
    authoritative: z.boolean(),
    says: z.enum(['one', 'many', 'pending']),
  }),
  idempotency: read(),
  resourceGroup: 'orders',
  owner: 'orders@team',
});

const probeCharge = {
  tool: findCharge,
  args: ({ args }: { args: { orderId: string } }) => ({ orderId: args.orderId }),
  answer: (found: Omit<ChargeRegister, 'asked' | 'answers'>) => {
    if (found.says === 'many') return { found: 'many' as const, evidence: { id: found.id } };
    if (found.says === 'pending') return { found: 'pending' as const };
    return found.id === null
      ? {
          found: 'absent' as const,
          authoritative: found.authoritative,
          asOf: new Date(found.asOf),
        }
      : { found: 'one' as const, evidence: { id: found.id }, result: { chargeId: found.id } };
  },
};

const notUndone = { tool: 'none', avoidBy: 'accept', reason: 'nobody minds' } as const;

export const orderTools = defineRegistry({
  name: 'order-desk',
  resourceGroups: { orders: {}, mail: {} },
  tools: [
    getOrder,
    findCharge,
    defineTool({
      name: 'set_delivery',
      summary: 'Move a delivery to another slot.',
      input: z.object({ orderId: z.string(), slot: z.string() }),
      idempotency: {
        class: 'idempotent-write',
        sentAs: { header: 'idempotency-key' },
        serverKeepsKeyFor: '24h',
      },
      timeouts: { total: '1s' },
      resourceGroup: 'orders',
      owner: 'orders@team',
    }),
    defineTool({
      name: 'tag_order',
      summary: 'Put a tag on an order.',
      input: z.object({ orderId: z.string(), tag: z.string(), requestId: z.string() }),
      idempotency: {
        class: 'idempotent-write',
        sentAs: { argument: 'requestId' },
        serverKeepsKeyFor: '1h',
      },
      timeouts: { total: '1s' },
      resourceGroup: 'orders',
      owner: 'orders@team',
    }),
    defineTool({
      name: 'move_order',
      summary: 'Move an order to another slot, and back.',
      input: z.object({ orderId: z.string(), slot: z.string() }),
      output: z.object({ moved: z.boolean() }),
      idempotency: {
        class: 'idempotent-write',
        sentAs: { header: 'idempotency-key' },
        serverKeepsKeyFor: '1h',
      },
      capture: { tool: getOrder, args: ({ args }) => ({ orderId: args.orderId }) },
      compensation: {
        tool: 'move_order',
        strength: 'strong',
        within: '2h',
        args: ({ args, before }) => ({ orderId: args.orderId, slot: before.slot }),
      },
      timeouts: { total: '1s' },
      resourceGroup: 'orders',
      owner: 'orders@team',
    }),
    defineTool({
      name: 'send_mail',
      summary: 'Send a mail.',
      input: z.object({ to: z.string(), subject: z.string(), note: z.string().optional() }),
      idempotency: { class: 'irreversible', key: { volatile: ['note'] } },
      compensation: notUndone,
      timeouts: { total: '1s' },
      resourceGroup: 'mail',
      owner: 'crm@team',
    }),
    defineTool({
      name: 'give_coupon',
      summary: 'Give a coupon; two are two.',
      input: z.object({ to: z.string() }),
      idempotency: { class: 'irreversible', repeat: 'deliberate' },
      compensation: notUndone,
      timeouts: { total: '1s' },
      resourceGroup: 'mail',
      owner: 'crm@team',
    }),
    defineTool({
      name: 'wipe',
      summary: 'Wipe a disk, once a person agrees.',
      input: z.object({ disk: z.string(), passes: z.number().optional() }),
      idempotency: { class: 'irreversible' },
      compensation: { tool: 'none', avoidBy: 'confirm', reason: 'what is wiped is gone' },
      timeouts: { total: '1s' },
      resourceGroup: 'orders',
      owner: 'ops@team',
    }),
    defineTool({
      name: 'order_pizza',
      summary: 'Order a pizza; two equal ones may be meant.',
      input: z.object({ kind: z.string() }),
      idempotency: { class: 'irreversible', repeat: 'ask' },
      compensation: notUndone,
      timeouts: { total: '1s' },
      resourceGroup: 'orders',
      owner: 'ops@team',
    }),
    defineTool({
      name: 'write_note',
      summary: 'Write a note, edited ones again.',
      input: z.object({ text: z.string() }),
      idempotency: { class: 'irreversible', onEdit: 'new-effect', effectOnError: 'none' },
      compensation: notUndone,
      timeouts: { total: '1s' },
      resourceGroup: 'mail',
      owner: 'crm@team',
    }),
    defineTool({
      name: 'charge',
      summary: 'Charge an order.',
      input: z.object({ orderId: z.string() }),
      output: z.object({ chargeId: z.string() }),
      idempotency: { class: 'irreversible' },
      compensation: notUndone,
      probe: probeCharge,
      timeouts: { total: '1s' },
      resourceGroup: 'orders',
      owner: 'billing@team',
    }),
    defineTool({
      name: 'publish',
      summary: 'Publish a text; better missing once than there twice.',
      input: z.object({ text: z.string() }),
      idempotency: { class: 'irreversible', onUnknown: 'assume-done' },
      compensation: notUndone,
      timeouts: { total: '1s' },
      resourceGroup: 'mail',
      owner: 'crm@team',
    }),
    defineTool({
      name: 'close_order',
      summary: 'Close an order, once in its life.',
      input: z.object({ orderId: z.string() }),
      idempotency: {
        class: 'idempotent-write',
        sentAs: { header: 'idempotency-key' },
        serverKeepsKeyFor: '24h',
        key: { scope: 'business' },
      },
      timeouts: { total: '1s' },
      resourceGroup: 'orders',
      owner: 'orders@team',
    }),
    defineTool({
      name: 'order_state',
      summary: 'Ask for the state of an order until it changes.',
      input: z.object({ orderId: z.string() }),
      idempotency: read(),
      polling: '5s',
      timeouts: { total: '1s' },
      resourceGroup: 'orders',
      owner: 'orders@team',
    }),
    defineTool({
      name: 'research',
      summary: 'Let a helper look around.',
      input: z.object({ question: z.string() }),
      idempotency: { class: 'delegates' },
      timeouts: { total: '1s' },
      resourceGroup: 'orders',
      owner: 'orders@team',
    }),
  ],
});

export type OrderTools = typeof orderTools;
export type OrderGuard = Guard<OrderTools>;

/** What the charge register answers; tests set it. */
export interface ChargeRegister {
  id: string | null;
  asOf: number;
  authoritative: boolean;
  says: 'one' | 'many' | 'pending';
  asked: number;
  /** False: it is asked and never answers. */
  answers: boolean;
}

export interface Desk {
  readonly clock: ManualClock;
  readonly ledger: LedgerStore;
  readonly guard: OrderGuard;
  readonly events: ReturnType<typeof memorySink>;
  readonly charges: ChargeRegister;
  /** The rows of an intent, oldest first. */
  rows(intentId?: string): Promise<readonly Effect[]>;
  /** Work inside the run of intent `i1`. */
  run<T>(work: () => Promise<T>, intentId?: string): Promise<T>;
  /** What a promise gives once time has moved on. */
  after<T>(ms: number, promise: Promise<T>): Promise<T>;
  /** Another guard over the same ledger and clock: another process, as far as the ledger can tell. */
  other(): OrderGuard;
}

/** Waits are half of their bound: 125 ms, then 250 ms. */
export function desk(
  options: Partial<Omit<GuardOptions<OrderTools>, 'registry'>> = {},
  wrap: (ledger: LedgerStore) => LedgerStore = (ledger) => ledger,
): Desk {
  const clock = manualClock();
  const events = memorySink();
  const ledger = wrap(memoryLedger({ now: clock.wallMs }));
  const charges: ChargeRegister = {
    id: null,
    asOf: 0,
    authoritative: true,
    says: 'one',
    asked: 0,
    answers: true,
  };
  const make = (): OrderGuard =>
    createGuard({
      registry: orderTools,
      ledger,
      clock,
      events: [events],
      random: () => 0.5,
      executors: {
        get_order: async ({ orderId }) => ({ orderId, slot: 'old' }),
        find_charge: async () => {
          charges.asked += 1;
          return charges.answers ? { ...charges } : never();
        },
      },
      ...options,
    });
  const guard = make();
  return {
    clock,
    ledger,
    guard,
    events,
    charges,
    rows: (intentId = 'i1') => ledger.find({ tenant: options.tenant ?? 'default', intentId }),
    run: (work, intentId = 'i1') => guard.inRun({ intentId }, work),
    async after(ms, promise) {
      // Its failure is for whoever awaits it.
      promise.catch(() => {});
      await clock.advance(ms);
      return promise;
    },
    other: make,
  };
}

/** The failure of an answer; a success is a test that failed. */
export function failureOf(answer: CallAnswer<unknown>): Failure {
  if (answer.ok) throw new Error(`expected a failure, got ${JSON.stringify(answer.result)}`);
  return answer.failure;
}

/** Kind and effect of a failure, or `ok`: what an answer comes down to. */
export function gist(answer: CallAnswer<unknown>): string {
  return answer.ok ? 'ok' : `${answer.failure.kind}, ${answer.failure.effect}`;
}

/** An error with a code, as Node's own have. */
export function coded(code: string, message = `it ended with ${code}`): Error {
  const notes = currentNotes();
  // As `guardedFetch` notes it for a request that it made.
  if (code === 'ECONNREFUSED' && notes !== undefined) notes.requestsRefused += 1;
  return Object.assign(new Error(message), { code });
}

/** A promise to be settled by the test. */
export function gate<T>(): {
  readonly promise: Promise<T>;
  open(value: T): void;
  fail(error: unknown): void;
} {
  let open: (value: T) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

/** A tool that never answers. */
export const never = (): Promise<never> => new Promise(() => {});
