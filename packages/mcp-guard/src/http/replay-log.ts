/** What is kept of a session for a host that comes back for it: events, and characters in them. */
const MOST_EVENTS = 1_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

export interface LoggedEvent {
  readonly id: string;
  readonly stream: string;
  readonly text: string;
}

/** The last events of a session, in their order, over all of its streams. */
export class ReplayLog {
  readonly #events = new Map<string, LoggedEvent>();
  #made = 0;
  #characters = 0;

  /** Keeps an event under an id that says to which stream it belongs. The newest is kept however long it is. */
  add(stream: string, text: string): LoggedEvent {
    this.#made += 1;
    const event = { id: `${stream}-${this.#made}`, stream, text };
    this.#events.set(event.id, event);
    this.#characters += text.length;
    for (const oldest of this.#events.values()) {
      const isFull = this.#events.size > MOST_EVENTS || this.#characters > MOST_CHARACTERS;
      if (!isFull || oldest === event) break;
      this.#events.delete(oldest.id);
      this.#characters -= oldest.text.length;
    }
    return event;
  }

  /** What came after an event on its stream; undefined where it is not known any more. */
  after(
    id: string,
  ): { readonly stream: string; readonly events: readonly LoggedEvent[] } | undefined {
    const last = this.#events.get(id);
    if (last === undefined) return undefined;
    const all = [...this.#events.values()];
    const events = all.slice(all.indexOf(last) + 1).filter(({ stream }) => stream === last.stream);
    return { stream: last.stream, events };
  }
}
