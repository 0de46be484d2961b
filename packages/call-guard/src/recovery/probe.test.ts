import { type Effect, memoryLedger, ownerIdentity } from '@holdfast/effect-ledger';
import type { AnyToolEntry, ProbeAnswer } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import type { AskRead } from '../gate-parts.js';
import { modesOf } from '../mode.js';
import { orderTools } from '../order-tools.fixture.js';
import { Deadline } from '../run/deadline.js';
import { Run } from '../run/run.js';
import { manualClock } from '../testing/manual-clock.js';
import { inFlightHorizonMs, probeEffect } from './probe.js';

const entry = (name: string): AnyToolEntry => {
  const found = orderTools.tools.get(name);
  if (found === undefined) throw new Error(name);
  return found;
};
const ledger = memoryLedger({ now: () => 1_000 });
const run = new Run(
  { tenant: 't', runId: 'r', intentId: 'i' },
  {
    ledger,
    owner: ownerIdentity('o'),
    leaseMs: 1_000,
    modes: modesOf(undefined),
    locale: 'en',
    deadline: new Deadline({ consumedMs: 0, clock: manualClock() }),
    expectedMs: () => 0,
  },
);

async function effect(): Promise<Effect> {
  const claim = await memoryLedger({ now: () => 1_000 }).claim(
    {
      tenant: 't',
      runId: 'r',
      intentId: 'i',
      scope: 'intent',
      tool: 'charge',
      toolVersion: '1.0.0',
      class: 'irreversible',
      identity: '{}',
      keyGiven: false,
      argsDigest: 'd',
      ordinal: 0,
      instance: 'x',
      frozenArgs: new Uint8Array(),
      place: {},
    },
    { owner: run.owner, leaseMs: 1_000, attemptId: 'a' },
  );
  if (claim.found !== 'nothing') throw new Error(claim.found);
  return claim.effect;
}

const clock = manualClock();
const probe = async (
  result: unknown,
  row?: Effect,
  name = 'charge',
  nowMs: number = clock.wallMs(),
) => {
  const ask: AskRead = async () => ({ ok: true, raw: result, result });
  const parts = { ask, clock: manualClock(nowMs) };
  return probeEffect(row ?? (await effect()), entry(name), { orderId: 'o1' }, run, parts);
};

describe('what a probe finds', () => {
  it('is one, with evidence and result', async () => {
    expect(await probe({ id: 'ch', asOf: 0, authoritative: false })).toEqual({
      found: 'one',
      evidence: { id: 'ch' },
      result: { chargeId: 'ch' },
    });
  });

  it('is absence only past the horizon: twice the timeout and a minute after the last start', async () => {
    const horizon = 1_000 + inFlightHorizonMs(entry('charge'));
    expect(horizon).toBe(63_000);
    const absent = (asOf: number) => probe({ id: null, asOf, authoritative: true });
    expect((await absent(horizon)).found).toBe('cannot-tell');
    expect(await absent(horizon + 1)).toEqual({ found: 'absent' });
    const later = { ...(await effect()), attempts: [{ id: 'b', startedAt: 2_000 }] };
    expect((await probe({ id: null, asOf: horizon + 1, authoritative: true }, later)).found).toBe(
      'cannot-tell',
    );
  });

  it('is absence only past the horizon of the last try, which may have begun when the pass ended', async () => {
    const row = await effect();
    const attempts = [{ id: 'a', startedAt: 1_000, endedAt: 300_000, tries: 2 }];
    const absent = (asOf: number) =>
      probe({ id: null, asOf, authoritative: true }, { ...row, attempts });
    const horizon = 300_000 + inFlightHorizonMs(entry('charge'));
    expect((await absent(horizon)).found).toBe('cannot-tell');
    expect(await absent(horizon + 1)).toEqual({ found: 'absent' });
  });

  it('is no absence as of a moment that is not yet, whatever the clock of the other side says', async () => {
    const horizon = 1_000 + inFlightHorizonMs(entry('charge'));
    const answer = { id: null, asOf: horizon + 600_000, authoritative: true };
    expect(await probe(answer, undefined, 'charge', horizon)).toMatchObject({
      found: 'cannot-tell',
      why: `absent as of ${new Date(horizon).toISOString()}, but it may be on its way until ${new Date(horizon).toISOString()}`,
    });
    expect(await probe(answer, undefined, 'charge', horizon + 1)).toEqual({ found: 'absent' });
  });

  it('is nothing certain from an absence that is not authoritative or not dated', async () => {
    expect(await probe({ id: null, asOf: 1e12, authoritative: false })).toMatchObject({
      found: 'cannot-tell',
    });
    expect(await probe({ id: null, asOf: Number.NaN, authoritative: true })).toMatchObject({
      found: 'cannot-tell',
    });
  });

  it('may be that the effect is there more than once, or still under way', async () => {
    const answering = (answer: ProbeAnswer) => {
      const charge = entry('charge');
      if (charge.probe === undefined) throw new Error('charge has a probe');
      return { ...charge, probe: { ...charge.probe, answer: () => answer } };
    };
    const ask: AskRead = async () => ({ ok: true, raw: {}, result: {} });
    const found = async (answer: ProbeAnswer) =>
      probeEffect(await effect(), answering(answer), {}, run, { ask, clock });
    expect(await found({ found: 'many', evidence: 2 })).toEqual({ found: 'many', evidence: 2 });
    expect(await found({ found: 'pending' })).toEqual({ found: 'pending' });
  });

  it('is nothing certain when the tool has none, the read fails, or its code throws', async () => {
    expect(await probe({}, undefined, 'send_mail')).toEqual({
      found: 'cannot-tell',
      why: 'the tool has no probe',
    });
    const failing: AskRead = async () => ({ ok: false, why: 'find_charge: timed_out' });
    expect(
      await probeEffect(await effect(), entry('charge'), {}, run, { ask: failing, clock }),
    ).toEqual({
      found: 'cannot-tell',
      why: 'find_charge: timed_out',
    });
    expect((await probe(undefined)).found).toBe('cannot-tell');
    const throwing: AskRead = () => Promise.reject(new Error('away'));
    expect(
      await probeEffect(await effect(), entry('charge'), {}, run, { ask: throwing, clock }),
    ).toEqual({
      found: 'cannot-tell',
      why: 'away',
    });
  });
});
