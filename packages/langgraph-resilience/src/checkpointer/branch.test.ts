import {
  type CheckpointMetadata,
  emptyCheckpoint,
  MemorySaver,
} from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import type { GraphPosition } from '../pregel-config.js';
import { branchFrom } from './branch.js';

type Source = CheckpointMetadata['source'];

/** A thread whose checkpoints are named by when they were made; each has a source and the one before it. */
async function thread(
  ...made: readonly (readonly [id: string, before: string | undefined, source?: Source])[]
) {
  const saver = new MemorySaver();
  for (const [id, before, source = 'loop'] of made) await put(saver, '', id, before, source);
  return saver;
}

async function put(
  saver: MemorySaver,
  ns: string,
  id: string,
  before: string | undefined,
  source: Source,
): Promise<void> {
  const configurable = {
    thread_id: 'T1',
    checkpoint_ns: ns,
    ...(before === undefined ? {} : { checkpoint_id: before }),
  };
  await saver.put({ configurable }, { ...emptyCheckpoint(), id }, { source, step: 0, parents: {} });
}

function standingAt(saver: MemorySaver, id: string, more: Partial<GraphPosition> = {}) {
  const checkpoint = { threadId: 'T1', ns: '', id };
  const branch = branchFrom({ saver, checkpoint, around: [], durability: 'async', ...more });
  if (branch === undefined) throw new Error('nothing can be asked');
  return (checkpointId: string, threadId = 'T1') =>
    branch({ threadId, checkpointId, checkpointNs: 'tools:x' });
}

describe('whether something lies on the course of a conversation', () => {
  it('it does where its checkpoint leads here', async () => {
    const saver = await thread(['1', undefined], ['2', '1'], ['3', '2'], ['4', '3']);
    const isOn = standingAt(saver, '4');
    expect(await isOn('2')).toBe('same');
    expect(await isOn('4')).toBe('same');
  });

  it.each(['fork', 'update'] as const)(
    'it was left where a %s went back before it',
    async (source) => {
      const saver = await thread(
        ['1', undefined],
        ['2', '1'],
        ['3', '2'],
        ['4', '1', source],
        ['5', '4'],
      );
      const isOn = standingAt(saver, '5');
      expect(await isOn('2')).toBe('left');
      expect(await isOn('3')).toBe('left');
      expect(await isOn('1')).toBe('same');
      expect(await isOn('5')).toBe('same');
      // On the course that was left, nothing was.
      expect(await standingAt(saver, '3')('2')).toBe('same');
    },
  );

  it('it was left too where a second fork went back before the first one’s course', async () => {
    const saver = await thread(
      ['1', undefined],
      ['2', '1'],
      ['3', '1', 'fork'],
      ['4', '3'],
      ['5', '2', 'fork'],
      ['6', '5'],
    );
    expect(await standingAt(saver, '6')('4')).toBe('left');
    expect(await standingAt(saver, '6')('2')).toBe('same');
  });

  it('an update of the newest checkpoint leaves nothing', async () => {
    const saver = await thread(['1', undefined], ['2', '1'], ['3', '2', 'update'], ['4', '3']);
    expect(await standingAt(saver, '4')('2')).toBe('same');
  });

  it('nobody left what a crash lost: its checkpoint never landed', async () => {
    const saver = await thread(['1', undefined], ['4', '1', 'fork'], ['5', '4']);
    expect(await standingAt(saver, '5')('2')).toBe('unknown');
    // Nor is it a fork that another process went on from an older checkpoint.
    const other = await thread(['1', undefined], ['2', '1'], ['3', '1']);
    expect(await standingAt(other, '3')('2')).toBe('same');
  });

  it('in a graph inside of another the outermost one’s course tells', async () => {
    const saver = await thread(['1', undefined], ['4', '1', 'fork'], ['5', '4']);
    await put(saver, 'inner:y', '2', undefined, 'loop');
    const checkpoint = { threadId: 'T1', ns: 'inner:z', id: '6' };
    const around = [{ threadId: 'T1', ns: '', id: '5' }];
    const branch = branchFrom({ saver, checkpoint, around, durability: 'async' });
    const checkpointNs = 'inner:y|tools:x';
    expect(await branch?.({ threadId: 'T1', checkpointId: '2', checkpointNs })).toBe('left');
  });

  it('nothing tells of other threads, unreadable savers and courses without an end', async () => {
    const saver = await thread(['1', undefined], ['3', '2', 'fork']);
    expect(await standingAt(saver, '3')('2', 'T2')).toBe('unknown');
    // Its way is lost.
    expect(await standingAt(saver, '9')('1')).toBe('unknown');
    const broken = Object.assign(await thread(), {
      getTuple: () => Promise.reject(new Error('the database is away')),
    });
    expect(await standingAt(broken, '3')('2')).toBe('unknown');
    const long = await thread(
      ...Array.from({ length: 502 }, (_, n) => {
        const name = (at: number): string => `9${String(at).padStart(4, '0')}`;
        return [name(n), n === 0 ? undefined : name(n - 1)] as const;
      }),
    );
    expect(await standingAt(long, '90501')('1')).toBe('unknown');
  });

  it('nobody can be asked without a saver or a checkpoint', () => {
    expect(branchFrom({ around: [], durability: 'async' })).toBeUndefined();
    const saver = new MemorySaver();
    expect(branchFrom({ saver, around: [], durability: 'async' })).toBeUndefined();
  });
});
