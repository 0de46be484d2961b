import fc from 'fast-check';
import type { Decision } from '../decision.js';
import type { EffectKey } from '../effect.js';
import type { Claimant, LedgerStore } from '../store.js';
import type { Transition } from '../transitions.js';
import { failed, owner, succeeded, suspended, unknown, wish } from './worker.js';

const of = <T>(...values: readonly T[]) => fc.constantFrom(...values);

const declaration = fc
  .record({
    tool: of('set', 'mail'),
    identity: of('a', 'b'),
    runId: of('run-1', 'run-2', 'run-3'),
    scope: of('intent' as const, 'business' as const),
    class: of('irreversible' as const, 'idempotent-write' as const, 'undeclared' as const),
    keyGiven: fc.boolean(),
    argsDigest: of('x', 'y'),
    ordinal: of(0, 0, 1),
    threadId: of('thread-1', 'thread-1', 'thread-2'),
  })
  .map(({ threadId, ...change }) =>
    wish({
      ...change,
      intentId: change.runId === 'run-3' ? 'intent-2' : 'intent-1',
      place: { threadId },
    }),
  );
const claimant = fc.record({
  id: of('ada', 'bob'),
  epoch: of(undefined, undefined, 1, 2),
  gone: of(undefined, undefined, undefined, 'ada'),
  consumedMs: of(undefined, 5, 1000, 2500),
});
const outcome = of<Extract<Transition, { to: 'succeeded' | 'failed' | 'unknown' }>>(
  succeeded(),
  {
    ...succeeded(),
    result: { kept: false, reason: 'large' },
    undo: { undo: 'ready', tool: 'u', args: new Uint8Array([1]), strength: 'weak', validUntil: 3 },
  },
  failed(),
  unknown(),
);
const by = 'undo of it' as EffectKey;
const transition = fc.oneof(
  outcome,
  of<Transition>(
    suspended,
    ...(['retry', 'resumed', 'resend', 'probe-absent'] as const).map(
      (why): Transition => ({ to: 'attempting', why, owner: owner('ada') }),
    ),
    ...[
      { settled: 'open' } as const,
      { settled: 'compensating', by } as const,
      { settled: 'compensated', by } as const,
      { settled: 'manual', reason: 'x' } as const,
    ].map((settlement): Transition => ({ to: 'settled', settlement, evidence: { by: 'undo' } })),
  ),
);
const nth = fc.nat(11);
const runId = of('run-1', 'run-2', 'run-3');

type Who = {
  readonly id: string;
  readonly epoch: number | undefined;
  readonly gone: string | undefined;
  readonly consumedMs: number | undefined;
};
const claimantOf = ({ id, epoch, gone, consumedMs }: Who): Claimant => ({
  owner: owner(id),
  leaseMs: 100,
  ...(epoch !== undefined && { epoch }),
  ...(gone !== undefined && { gone }),
  ...(consumedMs !== undefined && { consumedMs }),
});

/** What the commands of one sequence know of its ledger: the same for all stores. */
export interface Course {
  readonly keys: EffectKey[];
  readonly versions: Map<EffectKey, number>;
  attempts: number;
  now: number;
}
export type Command = (ledger: LedgerStore, course: Course) => Promise<unknown>;
const named = (name: string, command: Command): Command =>
  Object.assign(command, { [fc.toStringMethod]: () => name });

/** Whatever a caller may do to a ledger, in an order that makes sense or not. */
export const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(declaration, claimant).map(([wanted, who]) =>
      named(`claim ${JSON.stringify([wanted, who])}`, (ledger, course) => {
        const attemptId = `attempt ${course.attempts++}`;
        const stamp = {
          ...{ threadId: 'thread-1', ns: '', id: 'c', ledgerId: 'l', intentId: 'i' },
          ...{ runId: wanted.runId, seq: course.attempts, registryDigest: 'r' },
        };
        return ledger.claim(wanted, { ...claimantOf(who), attemptId }, [stamp]);
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(declaration, claimant, nth, of('reserve', 'book'))
      .map(([wanted, who, n, name]) =>
        named(`step ${JSON.stringify([wanted, who, n, name])}`, async (ledger, course) => {
          const parent = course.keys[n % Math.max(course.keys.length, 1)];
          if (parent === undefined) return 'no row';
          const attemptId = `attempt ${course.attempts++}`;
          const step = { parent, name };
          return ledger.claim({ ...wanted, step }, { ...claimantOf(who), attemptId });
        }),
      ),
  },
  fc
    .tuple(runId, of('a', undefined), of('x', 'y'), of<Decision['kind']>('approved', 'rejected'))
    .map(([id, callId, argsDigest, kind]) =>
      named(`decide ${id} ${callId} ${argsDigest} ${kind}`, (ledger) =>
        ledger.decide({
          ...{ tenant: 'acme', runId: id, threadId: 'thread-1', tool: 'mail', argsDigest, kind },
          ...{ by: 'person', ...(callId !== undefined && { callId }) },
        }),
      ),
    ),
  fc
    .tuple(runId, of(1, 1500))
    .map(([id, ms]) => named(`consume ${id} ${ms}`, (ledger) => ledger.consume(id, ms))),
  {
    weight: 6,
    arbitrary: fc
      .tuple(nth, transition, claimant, fc.boolean(), of(0, 0, 0, 1))
      .map(([n, wanted, who, alone, ahead]) =>
        named(`move ${JSON.stringify([n, wanted, who, alone, ahead])}`, async (ledger, course) => {
          const key = course.keys[n % Math.max(course.keys.length, 1)];
          if (key === undefined) return 'no row';
          const id = wanted.to === 'attempting' ? `attempt ${course.attempts++}` : `attempt ${n}`;
          return ledger.move(key, { version: (course.versions.get(key) ?? 0) + ahead }, wanted, {
            ...(alone && wanted.to !== 'attempting' ? {} : { claimant: claimantOf(who) }),
            ...(alone && wanted.to !== 'attempting' ? {} : { attempt: { id, tries: n } }),
          });
        }),
      ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(nth, nth, outcome).map(([row, n, wanted]) =>
      named(`evidence ${row} ${n} ${wanted.to}`, async (ledger, course) => {
        const key = course.keys[row % Math.max(course.keys.length, 1)];
        if (key === undefined) return 'no row';
        return ledger.submitEvidence(key, { id: `attempt ${n}`, keyCarried: true }, wanted);
      }),
    ),
  },
  fc
    .tuple(runId, claimant)
    .map(([id, who]) =>
      named(`renew ${id} ${JSON.stringify(who)}`, (ledger) => ledger.renew(id, claimantOf(who))),
    ),
  of(50, 100).map((ms) =>
    named(`wait ${ms}`, async (_, course) => {
      course.now += ms;
    }),
  ),
  runId.map((id) =>
    named(`admit ${id}`, (ledger) =>
      ledger.admit({
        ...{ tenant: 'acme', runId: id, intentId: 'intent-1', threadId: 'thread-1' },
        ...{ inputId: 'i', inputDigest: 'd', registryDigest: 'r' },
      }),
    ),
  ),
  runId.map((id) => named(`end ${id}`, (ledger) => ledger.endRun(id, 'complete', 700))),
);

/** Everything that can be seen of a ledger. */
export async function seen(ledger: LedgerStore) {
  const tenant = 'acme';
  const runs = ['run-1', 'run-2', 'run-3'];
  const threads = ['thread-1', 'thread-2'];
  const intents = ['intent-1', 'intent-2'];
  return {
    runs: await Promise.all(runs.map((id) => ledger.find({ runId: id }))),
    intents: await Promise.all(intents.map((intentId) => ledger.find({ tenant, intentId }))),
    threads: await Promise.all(
      threads.map((threadId) => ledger.find({ tenant, threadId, unfinished: true })),
    ),
    admissions: await ledger.runs({ tenant, threadId: 'thread-1' }),
    decisions: await ledger.decisions({ tenant, threadId: 'thread-1' }),
    stamp: await ledger.stampOf({ threadId: 'thread-1', ns: '', id: 'c' }),
  };
}
