import { describe, expect, it } from 'vitest';
import { isLedgerError } from '../ledger-error.js';
import type { Admission, CheckpointStamp } from '../store.js';
import { found, type OpenLedgers, stage } from './store-fixture.js';
import { failed, succeeded, suspended, unknown, wish } from './worker.js';

export const admission = (change: Partial<Admission> = {}): Admission => ({
  tenant: 'acme',
  runId: 'run-1',
  intentId: 'intent-1',
  threadId: 'thread-1',
  inputId: 'input-1',
  inputDigest: 'digest of the input',
  input: new Uint8Array([1, 2]),
  registryDigest: 'registry',
  ...change,
});
const stampAt = (id: string, seq = 1): CheckpointStamp => ({
  threadId: 'thread-1',
  ns: '',
  id,
  ledgerId: 'ledger',
  intentId: 'intent-1',
  runId: 'run-1',
  seq,
  registryDigest: 'registry',
});

/** Runs, what is unfinished, stamps, and the end of the ledger itself. */
export function runContract(open: OpenLedgers): void {
  describe('a run', () => {
    const at = stage(open);

    it('is admitted once, and known after that as it was admitted', async () => {
      const { now } = at.clock;
      const run = { ...admission(), admittedAt: now, activeAt: now, consumedMs: 0 };
      expect(await at.ledger.admit(admission())).toEqual({ run, known: false });
      at.clock.now += 10;
      expect(await at.second.admit(admission({ inputId: 'other' }))).toEqual({
        run: { ...run, activeAt: now + 10 },
        known: true,
      });
      expect(await at.ledger.runs({ runId: 'run-1' })).toEqual([{ ...run, activeAt: now + 10 }]);
    });

    it('is admitted without input or thread too', async () => {
      const { threadId, input, ...bare } = admission();
      const { run } = await at.ledger.admit(bare);
      expect(Object.keys(run)).not.toContain('threadId');
      expect(await at.second.runs({ runId: 'run-1' })).toEqual([run]);
    });

    it('is known with the limits and the mode that were in force when it was accepted', async () => {
      const limits = { deadlineMs: 40_000, steps: 20, costUsd: 0.5 };
      const { run } = await at.ledger.admit(admission({ limits, mode: 'shadow' }));
      expect(run).toMatchObject({ limits, mode: 'shadow' });
      await at.ledger.admit(admission({ limits: { steps: 1 }, mode: 'enforce' }));
      expect(await at.second.runs({ runId: 'run-1' })).toEqual([run]);
    });

    it('is found by intent and by thread of its tenant, newest admission first', async () => {
      for (const change of [
        { runId: 'b' },
        { runId: 'a' },
        { runId: 'c', intentId: 'intent-2' },
        { runId: 'd', threadId: 'thread-2' },
        { runId: 'e', tenant: 'other' },
      ]) {
        await at.ledger.admit(admission(change));
      }
      const ids = async (query: Parameters<typeof at.ledger.runs>[0]) =>
        (await at.second.runs(query)).map((run) => run.runId);
      expect(await ids({ tenant: 'acme', intentId: 'intent-1' })).toEqual(['d', 'a', 'b']);
      expect(await ids({ tenant: 'acme', threadId: 'thread-1' })).toEqual(['c', 'a', 'b']);
      expect(await ids({ runId: 'nobody' })).toEqual([]);
    });

    it('is active with each claim that begins something, and with no other', async () => {
      await at.ledger.admit(admission());
      const activeAt = async () => (await at.ledger.runs({ runId: 'run-1' }))[0]?.activeAt;
      at.clock.now += 5;
      await at.ada.doing(wish(), succeeded());
      const active = at.clock.now;
      expect(await activeAt()).toBe(active);
      at.clock.now += 5;
      found(await at.ada.claim(wish()), 'done');
      expect(await activeAt()).toBe(active);
    });

    it('ends once', async () => {
      await at.ledger.admit(admission());
      at.clock.now += 5;
      await at.ledger.endRun('run-1', 'partial');
      const ended = { at: at.clock.now, status: 'partial' };
      at.clock.now += 5;
      await at.second.endRun('run-1', 'complete');
      await at.second.endRun('nobody', 'complete');
      const { run, known } = await at.ledger.admit(admission());
      expect({ known, ended: run.ended }).toEqual({ known: true, ended });
      expect(await at.second.runs({ runId: 'nobody' })).toEqual([]);
    });

    it('that has ended leaves only its open and unknown rows unfinished in its thread', async () => {
      const inThread = { tenant: 'acme', threadId: 'thread-1', unfinished: true } as const;
      const keys = async () => (await at.second.find(inThread)).map((row) => row.key);
      await at.ledger.admit(admission());
      const done = await at.ada.doing(wish(), succeeded());
      const not = await at.ada.doing(wish({ ordinal: 1 }), failed());
      const lost = await at.ada.doing(wish({ ordinal: 2 }), unknown());
      const waits = await at.ada.doing(wish({ ordinal: 3 }), suspended);
      await at.ada.claim(wish({ place: { threadId: 'thread-2' }, ordinal: 4 }));
      expect(await keys()).toEqual([done.key, not.key, lost.key, waits.key]);
      await at.ledger.endRun('run-1', 'partial');
      expect(await keys()).toEqual([lost.key, waits.key]);
      await at.ada.move(lost, succeeded());
      expect(await keys()).toEqual([waits.key]);
      await at.ada.doing(wish({ ordinal: 5 }), succeeded());
      expect(await keys()).toEqual([waits.key]);
      const never = await at.bob.doing(wish({ runId: 'not admitted', ordinal: 6 }), succeeded());
      expect(await keys()).toEqual([waits.key, never.key]);
    });

    it('is what its effects are found by, and their intent, in the order of their start', async () => {
      const first = await at.ada.doing(wish(), succeeded());
      const wide = await at.ada.doing(wish({ scope: 'business', tool: 'pay' }), failed());
      const theirs = await at.bob.doing(wish({ runId: 'run-2', ordinal: 1 }), failed());
      expect(await at.ledger.find({ runId: 'run-1' })).toEqual([first, wide]);
      expect(await at.ledger.find({ tenant: 'acme', intentId: 'intent-1' })).toEqual([
        ...[first, wide],
        theirs,
      ]);
      expect(await at.ledger.find({ tenant: 'other', intentId: 'intent-1' })).toEqual([]);
    });
  });

  describe('a stamp', () => {
    const at = stage(open);

    it('says what the ledger knew at a checkpoint; the last one counts', async () => {
      await at.ledger.stamp(stampAt('c1', 1));
      await at.ledger.stamp(stampAt('c1', 2));
      await at.ledger.stamp({ ...stampAt('c1', 3), ns: 'child' });
      expect(await at.second.stampOf(stampAt('c1'))).toEqual(stampAt('c1', 2));
      expect(await at.second.stampOf(stampAt('c2'))).toBeUndefined();
    });

    it('is written with a claim that begins something, and with no other', async () => {
      await at.ada.claim(wish(), {}, [stampAt('c1'), stampAt('c2')]);
      expect(await at.second.stampOf(stampAt('c2'))).toEqual(stampAt('c2'));
      found(await at.bob.claim(wish(), {}, [stampAt('c3')]), 'open');
      found(await at.bob.claim(wish({ ordinal: 1 }), {}, [stampAt('c3')]), 'held');
      expect(await at.second.stampOf(stampAt('c3'))).toBeUndefined();
    });
  });

  describe('a ledger', () => {
    const at = stage(open);

    it('has an id of its own', () => {
      expect(at.ledger.id).toMatch(/^[0-9a-f-]{36}$/);
      expect(at.second.id).toBe(at.ledger.id);
    });

    it('that is closed finishes what was asked before, and refuses the rest', async () => {
      const before = at.ada.claim(wish());
      await at.ledger.close();
      found(await before, 'nothing');
      const refused = [
        at.ledger.find({ runId: 'run-1' }),
        at.ledger.claim(wish(), { ...at.ada.claimant(), attemptId: 'x' }),
        at.ledger.endRun('run-1', 'complete'),
      ];
      for (const outcome of await Promise.allSettled(refused)) {
        const reason = outcome.status === 'rejected' && outcome.reason;
        expect(isLedgerError(reason) && reason.code).toBe('closed');
      }
      await at.ledger.close();
    });
  });
}
