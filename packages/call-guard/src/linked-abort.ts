/**
 * A signal of its own that follows another one for a while. `AbortSignal.any` would leave its listener on
 * the other one, which may live as long as the program.
 */
export class LinkedAbort {
  readonly #controller = new AbortController();
  readonly #source: AbortSignal | undefined;
  readonly #follow = (): void => this.#controller.abort(this.#source?.reason);

  constructor(source: AbortSignal | undefined) {
    this.#source = source;
    if (source?.aborted) this.#follow();
    else source?.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Follows no more. */
  release(): void {
    this.#source?.removeEventListener('abort', this.#follow);
  }
}
