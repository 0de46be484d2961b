import { MemorySaver } from '@langchain/langgraph';
import { never } from './gate.js';

type Write = 'put' | 'putWrites';

/**
 * A saver as a process sees it that is about to be killed: from `die` on, the named writes of it never
 * land and never end. What has landed is with the saver that survives.
 */
export class DyingSaver extends MemorySaver {
  readonly #lost = new Set<Write>();

  constructor(private readonly survivor: MemorySaver) {
    super();
    this.storage = survivor.storage;
    this.writes = survivor.writes;
  }

  die(...lost: readonly Write[]): void {
    for (const write of lost) this.#lost.add(write);
  }

  override put(...given: Parameters<MemorySaver['put']>): ReturnType<MemorySaver['put']> {
    return this.#lost.has('put') ? never : this.survivor.put(...given);
  }

  override putWrites(
    ...given: Parameters<MemorySaver['putWrites']>
  ): ReturnType<MemorySaver['putWrites']> {
    return this.#lost.has('putWrites') ? never : this.survivor.putWrites(...given);
  }
}
