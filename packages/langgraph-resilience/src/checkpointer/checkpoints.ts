import { type Clock, onAbort } from '@holdfast/call-guard';
import type { CheckpointRef } from '@holdfast/effect-ledger';

const CHECKPOINTS = Symbol.for('holdfast.checkpoints');

/** How many writes are remembered; an older checkpoint is asked for at the saver. */
const MOST_REMEMBERED = 1_000;

interface Write {
  /** Known to be durable, so that the saver need not be asked. */
  durable: boolean;
  readonly done: Promise<boolean>;
  settle(durable: boolean): void;
}

/** Which checkpoints are known to be durable: those whose write we saw resolve, and those that the saver has. */
export class Checkpoints {
  readonly #writes = new Map<string, Write>();
  /** The threads and namespaces that something was written to. */
  readonly #written = new Set<string>();

  /** @param has asks the saver for a checkpoint that was written by another process */
  constructor(private readonly has: (ref: CheckpointRef) => Promise<boolean>) {}

  /** Notes a write of ours, until it resolves and after. */
  async written<T>(ref: CheckpointRef, write: Promise<T>): Promise<T> {
    const entry = this.#entry(ref);
    this.#noteNamespace(ref);
    try {
      const result = await write;
      entry.durable = true;
      entry.settle(true);
      return result;
    } catch (error) {
      entry.settle(false);
      this.#writes.delete(keyOf(ref));
      throw error;
    }
  }

  /**
   * Whether the graph in this namespace keeps its checkpoints here: a sub-graph may keep none and still be
   * handed the saver of the graph around it. LangGraph begins to write before a graph's first node runs.
   */
  async keeps(ref: CheckpointRef): Promise<boolean> {
    return this.#written.has(namespaceKey(ref)) || this.has(ref);
  }

  /**
   * Whether the checkpoint is durable, waiting for a write that is under way or, since LangGraph chains
   * its writes, not even begun.
   */
  async durable(
    ref: CheckpointRef,
    withinMs: number,
    clock: Clock,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const entry = this.#entry(ref);
    if (entry.durable) return true;
    const { done } = entry;
    const patience = new AbortController();
    const letGo = onAbort(signal, () => patience.abort());
    const outOfTime = clock.sleep(withinMs, patience.signal).then(
      () => false,
      () => false,
    );
    const stored = this.has(ref).then(
      (has) => has || done,
      () => done,
    );
    try {
      return await Promise.race([done, stored, outOfTime]);
    } finally {
      patience.abort();
      letGo();
    }
  }

  #noteNamespace(ref: CheckpointRef): void {
    const key = namespaceKey(ref);
    // Newest last, so that the first is the one to forget.
    this.#written.delete(key);
    this.#written.add(key);
    const [oldest] = this.#written;
    if (this.#written.size > MOST_REMEMBERED && oldest !== undefined) this.#written.delete(oldest);
  }

  #entry(ref: CheckpointRef): Write {
    const key = keyOf(ref);
    const known = this.#writes.get(key);
    if (known !== undefined) return known;
    let settle: (durable: boolean) => void = () => {};
    const done = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    const entry: Write = { durable: false, done, settle: (durable) => settle(durable) };
    this.#writes.set(key, entry);
    const [oldest] = this.#writes.keys();
    if (this.#writes.size > MOST_REMEMBERED && oldest !== undefined) this.#writes.delete(oldest);
    return entry;
  }
}

/** The checkpoints that a saver of `guard.checkpointer` keeps track of. */
export function checkpointsOf(saver: object | undefined): Checkpoints | undefined {
  if (saver === undefined || !(CHECKPOINTS in saver)) return undefined;
  return saver[CHECKPOINTS] as Checkpoints;
}

export { CHECKPOINTS };

function keyOf({ threadId, ns, id }: CheckpointRef): string {
  return JSON.stringify([threadId, ns, id]);
}

function namespaceKey({ threadId, ns }: CheckpointRef): string {
  return JSON.stringify([threadId, ns]);
}
