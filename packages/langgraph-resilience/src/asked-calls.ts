import type { Run } from '@holdfast/call-guard';
import type { ToolCall } from '@langchain/core/messages/tool';

/** What the model asked for, before anybody changed it. */
export type Asked = Pick<ToolCall, 'name' | 'args'>;

/** How many calls are remembered whose message came back without its note. */
const MOST_REMEMBERED = 10_000;

/** What models asked for, by run and call id. */
export class AskedCalls {
  readonly #asked = new Map<string, Asked>();

  note(run: Run, callId: string, asked: Asked): void {
    this.#asked.set(JSON.stringify([run.runId, callId]), asked);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > MOST_REMEMBERED && oldest !== undefined) this.#asked.delete(oldest);
  }

  find(run: Run, callId: string): Asked | undefined {
    return this.#asked.get(JSON.stringify([run.runId, callId]));
  }
}
