import { memoryLedger } from '@holdfast/effect-ledger';
import { describe, expect, it } from 'vitest';
import { modesOf } from '../mode.js';
import { manualClock } from '../testing/manual-clock.js';
import { Runs } from './runs.js';

const identity = (intentId: string) => ({ tenant: 't', runId: `r-${intentId}`, intentId });
const admission = (intentId: string) => ({
  ...identity(intentId),
  inputId: 'in',
  inputDigest: 'd',
  registryDigest: 'd',
});

function setting() {
  const clock = manualClock();
  const ledger = memoryLedger({ now: clock.wallMs });
  let ids = 0;
  const runs = new Runs({
    ledger,
    clock,
    leaseMs: 30_000,
    idleEndMs: 1_000,
    newId: () => `id${++ids}`,
    modes: () => modesOf(undefined),
    locale: 'en',
    emit: () => {},
    expectedMs: () => 0,
  });
  return { clock, ledger, runs };
}

describe('the runs that a process works on', () => {
  it('are one per run and invocation, each with its own owner', () => {
    const { runs } = setting();
    const first = runs.open(identity('i'), 'a');
    expect(first.isNew).toBe(true);
    expect(runs.open(identity('i'), 'a')).toEqual({ run: first.run, isNew: false });
    const second = runs.open(identity('i'), 'b');
    expect(second.isNew).toBe(true);
    expect(second.run.owner.id).not.toBe(first.run.owner.id);
  });

  it('are forgotten when they were not used for the idle time, and no sooner', async () => {
    const { runs, clock } = setting();
    const idle = runs.open(identity('idle'), 'a').run;
    const used = runs.open(identity('used'), 'a').run;
    await clock.advance(999);
    expect(runs.open(identity('used'), 'a').run).toBe(used);
    await clock.advance(1);
    expect(runs.open(identity('used'), 'a')).toEqual({ run: used, isNew: false });
    const again = runs.open(identity('idle'), 'a');
    expect(again.isNew).toBe(true);
    expect(again.run).not.toBe(idle);
    expect(clock.pending()).toBe(0);
  });

  it('are admitted once, and again when that failed', async () => {
    const { runs, ledger } = setting();
    const { run } = runs.open(identity('i'), 'a', admission('i'));
    await Promise.all([run.admit(), run.admit()]);
    expect((await ledger.runs({ runId: 'r-i' })).length).toBe(1);
    const { run: unadmitted } = runs.open(identity('j'), 'a');
    await unadmitted.admit();
    expect(await ledger.runs({ runId: 'r-j' })).toEqual([]);
    await ledger.close();
    const { run: late } = runs.open(identity('k'), 'a', admission('k'));
    await expect(late.admit()).rejects.toThrow('closed');
    await expect(late.admit()).rejects.toThrow('closed');
  });

  it('claim under their epoch, and rows of other runs without it', () => {
    const { runs } = setting();
    const { run } = runs.open(identity('i'), 'a');
    expect(run.claimant()).toEqual({ owner: run.owner, leaseMs: 30_000, consumedMs: 0 });
    run.epoch = 3;
    expect(run.claimant()).toEqual({
      owner: run.owner,
      leaseMs: 30_000,
      consumedMs: 0,
      epoch: 3,
    });
    expect(run.claimant('dead')).toMatchObject({ gone: 'dead', epoch: 3 });
    expect(run.claimant(undefined, 'another')).toEqual({ owner: run.owner, leaseMs: 30_000 });
  });
});
