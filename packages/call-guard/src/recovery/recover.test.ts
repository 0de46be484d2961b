import { type Attempt, type Effect, memoryLedger, ownerIdentity } from '@holdfast/effect-ledger';
import { describe, expect, it } from 'vitest';
import type { Contract } from '../call/call.js';
import { orderTools } from '../order-tools.fixture.js';
import { keyProtects, recoveryOf } from './recover.js';

function contractOf(tool: string): Contract {
  const entry = orderTools.tools.get(tool);
  return entry === undefined
    ? { declared: false, class: 'undeclared' }
    : { declared: true, class: entry.idempotency.class, entry };
}

async function effect(attempts: readonly Attempt[]): Promise<Effect> {
  const claim = await memoryLedger({ now: () => 0 }).claim(
    {
      tenant: 't',
      runId: 'r',
      intentId: 'i',
      scope: 'intent',
      tool: 'x',
      toolVersion: '1.0.0',
      class: 'idempotent-write',
      identity: '{}',
      keyGiven: false,
      argsDigest: 'd',
      ordinal: 0,
      instance: 'x',
      frozenArgs: new Uint8Array(),
      place: {},
    },
    { owner: ownerIdentity('o'), leaseMs: 1_000, attemptId: 'a' },
  );
  if (claim.found !== 'nothing') throw new Error(claim.found);
  return { ...claim.effect, attempts };
}

const hour = 3_600_000;

describe('the table of the unknown outcome', () => {
  it('a keyed write inside the window of its server is sent again', async () => {
    const row = await effect([{ id: 'a', startedAt: 0, keyCarried: true }]);
    expect(recoveryOf(row, contractOf('set_delivery'), 24 * hour - 1)).toBe('resend');
    expect(recoveryOf(row, contractOf('set_delivery'), 24 * hour)).toBe('leave');
    expect(recoveryOf(row, contractOf('tag_order'), hour)).toBe('leave');
  });

  it('one whose process died before it could tell is believed to have sent its key', async () => {
    const row = await effect([{ id: 'a', startedAt: 0 }]);
    expect(keyProtects(row, contractOf('set_delivery'), 0)).toBe(true);
  });

  it('one that was seen not to send its key is not, unless it certainly had no effect', async () => {
    const seen = await effect([{ id: 'a', startedAt: 0, keyCarried: false, ended: 'unknown' }]);
    expect(keyProtects(seen, contractOf('set_delivery'), 0)).toBe(false);
    const harmless = await effect([
      { id: 'a', startedAt: 0, keyCarried: false, ended: 'failed' },
      { id: 'b', startedAt: 0, keyCarried: true, ended: 'unknown' },
    ]);
    expect(keyProtects(harmless, contractOf('set_delivery'), 0)).toBe(true);
  });

  it('the window counts from the first attempt', async () => {
    const row = await effect([
      { id: 'a', startedAt: 0, keyCarried: true },
      { id: 'b', startedAt: 20 * hour, keyCarried: true },
    ]);
    expect(keyProtects(row, contractOf('set_delivery'), 24 * hour)).toBe(false);
    expect(keyProtects(await effect([]), contractOf('set_delivery'), 0)).toBe(false);
  });

  it('an irreversible call is asked about, or left to a person', async () => {
    const row = await effect([{ id: 'a', startedAt: 0 }]);
    expect(recoveryOf(row, contractOf('charge'), 0)).toBe('probe');
    expect(recoveryOf(row, contractOf('send_mail'), 0)).toBe('leave');
    expect(recoveryOf(row, contractOf('no_such_tool'), 0)).toBe('leave');
  });
});
