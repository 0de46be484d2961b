import type { CheckpointRef } from '@holdfast/effect-ledger';
import type { RunnableConfig } from '@langchain/core/runnables';
import { emptyCheckpoint, MemorySaver } from '@langchain/langgraph';
import { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { type Desk, desk, gate } from '../adapter.fixture.js';
import { positionOf } from '../pregel-config.js';
import { barrierOf } from './barrier.js';

const ref: CheckpointRef = { threadId: 'T1', ns: '', id: emptyCheckpoint().id };
const checkpoint = { ...emptyCheckpoint(), id: ref.id };
const metadata = { source: 'loop' as const, step: 1, parents: {} };
const target = { configurable: { thread_id: 'T1', checkpoint_ns: '' } };

const write = (saver: BaseCheckpointSaver) => saver.put(target, checkpoint, metadata, {});

/** A saver whose writes wait, and may fail. */
class SlowSaver extends MemorySaver {
  readonly #until: Promise<void>;
  constructor(until: Promise<void>) {
    super();
    this.#until = until;
  }
  override async put(...given: Parameters<MemorySaver['put']>): Promise<RunnableConfig> {
    await this.#until;
    return super.put(...given);
  }
  /** What a later version of LangGraph may ask for. */
  unheardOf(): string {
    return `known to ${this.constructor.name}`;
  }
}

async function runOf({ guard }: Desk) {
  const input = { id: 'h1', digest: 'd1' };
  const { run } = await guard.parts.runs.accept('T1', undefined, input, []);
  return run;
}

/** What a call at this checkpoint waits for; undefined if it may go. */
async function barrier(made: Desk, saver: BaseCheckpointSaver | undefined, more: object = {}) {
  const config = {
    configurable: {
      thread_id: 'T1',
      checkpoint_ns: 'tools:t1',
      checkpoint_map: { '': ref.id },
      ...(saver === undefined ? {} : { __pregel_checkpointer: saver }),
    },
    ...more,
  };
  return barrierOf(positionOf(config), await runOf(made), made.guard.parts)?.(undefined);
}

describe('the effect barrier', () => {
  it('lets go at once where the checkpoint was written', async () => {
    const made = desk({ settings: { barrierMs: 0 } });
    const saver = made.guard.checkpointer(new MemorySaver());
    await write(saver);
    expect(await barrier(made, saver)).toBeUndefined();
  });

  it('waits for a write that is under way', async () => {
    const made = desk();
    const slow = gate();
    const saver = made.guard.checkpointer(new SlowSaver(slow.opened));
    const writing = write(saver);
    const waiting = barrier(made, saver);
    slow.open();
    await writing;
    expect(await waiting).toBeUndefined();
  });

  it('waits for a write that has not begun', async () => {
    const made = desk();
    const saver = made.guard.checkpointer(new MemorySaver());
    const waiting = barrier(made, saver);
    // The saver has been asked by now, and did not have it.
    await saver.getTuple(target);
    await write(saver);
    expect(await waiting).toBeUndefined();
  });

  it('gives up after its time', async () => {
    const made = desk({ settings: { barrierMs: 5 } });
    const saver = made.guard.checkpointer(new MemorySaver());
    expect(await barrier(made, saver)).toEqual({
      checkpointId: ref.id,
      waitedMs: expect.any(Number),
    });
  });

  it('does not count a write that failed, and does count the next one', async () => {
    const made = desk({ settings: { barrierMs: 5 } });
    const saver = made.guard.checkpointer(new SlowSaver(Promise.reject(new Error('disk'))));
    await expect(write(saver)).rejects.toThrow('disk');
    expect(await barrier(made, saver)).toMatchObject({ checkpointId: ref.id });
  });

  it('asks the saver for a checkpoint that another process wrote', async () => {
    const made = desk({ settings: { barrierMs: 60_000 } });
    const inner = new MemorySaver();
    await write(inner);
    expect(await barrier(made, made.guard.checkpointer(inner))).toBeUndefined();
  });

  it.each([
    ['no checkpointer of the guard', undefined, {}, 'guard.checkpointer'],
    ['a bare saver', new MemorySaver(), {}, 'guard.checkpointer'],
    ['durability exit', 'guarded', { durability: 'exit' }, "durability 'exit'"],
  ] as const)('with %s relies on the key, and says so once', async (_, given, more, text) => {
    const made = desk();
    const saver = given === 'guarded' ? made.guard.checkpointer(new MemorySaver()) : given;
    expect(await barrier(made, saver, more)).toBeUndefined();
    expect(await barrier(made, saver, more)).toBeUndefined();
    const warnings = made.events.of('warning').filter(({ code }) => code === 'no_barrier');
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining(text)]);
  });

  it('refuses there, where that is asked for', async () => {
    const made = desk({ onNoBarrier: 'refuse' });
    expect(await barrier(made, undefined)).toEqual({ waitedMs: 0 });
    expect(made.events.of('warning').filter(({ code }) => code === 'no_barrier')).toEqual([]);
  });

  describe('in a sub-graph', () => {
    const nested = {
      configurable: {
        thread_id: 'T1',
        checkpoint_ns: 'team:t1|tools:t2',
        checkpoint_map: { '': ref.id, 'team:t1': 'inner-checkpoint' },
      },
    };
    const waits = async (made: Desk, saver: BaseCheckpointSaver) => {
      const config = { configurable: { ...nested.configurable, __pregel_checkpointer: saver } };
      return barrierOf(positionOf(config), await runOf(made), made.guard.parts)?.(undefined);
    };

    it('waits for its own checkpoint where it keeps some', async () => {
      const made = desk({ settings: { barrierMs: 5 } });
      const saver = made.guard.checkpointer(new MemorySaver());
      await write(saver);
      const inTeam = { configurable: { thread_id: 'T1', checkpoint_ns: 'team:t1' } };
      const writes = (id: string) =>
        (saver as BaseCheckpointSaver).put(inTeam, { ...checkpoint, id }, metadata, {});
      await writes('earlier');
      expect(await waits(made, saver)).toMatchObject({ checkpointId: 'inner-checkpoint' });
      await writes('inner-checkpoint');
      expect(await waits(made, saver)).toBeUndefined();
    });

    it('waits for that of the graph around where it keeps none, and says so', async () => {
      const made = desk({ settings: { barrierMs: 5 } });
      const saver = made.guard.checkpointer(new MemorySaver());
      expect(await waits(made, saver)).toMatchObject({ checkpointId: ref.id });
      await write(saver);
      expect(await waits(made, saver)).toBeUndefined();
      expect(made.events.of('warning')).toMatchObject([
        { code: 'no_barrier', message: expect.stringContaining('keeps no checkpoints') },
      ]);
    });

    it('is refused where it keeps none and a barrier is demanded', async () => {
      const made = desk({ onNoBarrier: 'refuse' });
      const saver = made.guard.checkpointer(new MemorySaver());
      await write(saver);
      expect(await waits(made, saver)).toEqual({ waitedMs: 0 });
    });
  });
});

describe('the guarded saver', () => {
  it('is a saver, and guarding it again changes nothing', () => {
    const { guard } = desk();
    const saver = guard.checkpointer(new MemorySaver());
    expect(saver).toBeInstanceOf(BaseCheckpointSaver);
    expect(saver).toBeInstanceOf(MemorySaver);
    expect(guard.checkpointer(saver)).toBe(saver);
  });

  it('forwards what it does not know, private fields included', async () => {
    const saver = desk().guard.checkpointer(new SlowSaver(Promise.resolve()));
    expect(saver.unheardOf()).toBe('known to SlowSaver');
    await write(saver);
    expect((await saver.getTuple(target))?.checkpoint.id).toBe(ref.id);
    expect(saver.getNextVersion(undefined)).toBe(1);
  });

  it('hands checkpoint and metadata over unaltered, and returns what the saver returns', async () => {
    const inner = new MemorySaver();
    const saver = desk().guard.checkpointer(inner);
    expect(await write(saver)).toEqual({
      configurable: { thread_id: 'T1', checkpoint_ns: '', checkpoint_id: ref.id },
    });
    const tuple = await inner.getTuple(target);
    expect(tuple?.metadata).toEqual(metadata);
    expect(tuple?.checkpoint).toEqual(checkpoint);
  });

  it('passes the saver`s errors on', async () => {
    const saver = desk().guard.checkpointer(new MemorySaver());
    await expect(saver.put({}, checkpoint, metadata)).rejects.toThrow(/thread_id/);
  });
});

describe('stamps', () => {
  const effect = async (made: Desk, to: string, callId: string) => {
    const [mail] = made.guard.tools([made.sendMail]);
    const run = await runOf(made);
    const config = { configurable: { thread_id: 'T1', __holdfast_run: { run } } };
    await mail?.invoke({ type: 'tool_call', name: 'send_mail', args: { to }, id: callId }, config);
    return run;
  };

  it('are not written for a step that only read', async () => {
    const made = desk();
    made.guard.parts.stamps.follow(await runOf(made));
    await write(made.guard.checkpointer(new MemorySaver()));
    expect(await made.ledger.stampOf(ref)).toBeUndefined();
  });

  it('are written after a step with an effect, with what the ledger knew', async () => {
    const made = desk();
    const run = await effect(made, 'a', 'c1');
    await write(made.guard.checkpointer(new MemorySaver()));
    expect(await made.ledger.stampOf(ref)).toEqual({
      ...ref,
      ledgerId: made.ledger.id,
      intentId: run.intentId,
      runId: run.runId,
      seq: run.view.seq(),
      registryDigest: made.guard.registry.digest,
    });
  });

  it('of a step that read are written with the next claim', async () => {
    const made = desk();
    const run = await runOf(made);
    made.guard.parts.stamps.follow(run);
    await write(made.guard.checkpointer(new MemorySaver()));
    expect(run.pendingStamps.size).toBe(1);
    const [mail] = made.guard.tools([made.sendMail]);
    const config = { configurable: { thread_id: 'T1', __holdfast_run: { run } } };
    await mail?.invoke(
      { type: 'tool_call', name: 'send_mail', args: { to: 'a' }, id: 'c1' },
      config,
    );
    expect(await made.ledger.stampOf(ref)).toMatchObject({ runId: run.runId, seq: 0 });
    expect(run.pendingStamps.size).toBe(0);
  });

  it('wait for a ledger that is away: the checkpoint is written all the same', async () => {
    const made = desk();
    const run = await effect(made, 'a', 'c1');
    await made.ledger.close();
    const inner = new MemorySaver();
    await write(made.guard.checkpointer(inner));
    expect((await inner.getTuple(target))?.checkpoint.id).toBe(ref.id);
    expect(run.pendingStamps.size).toBe(1);
  });
});
