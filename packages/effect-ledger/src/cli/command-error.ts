/** What is wrong with what was asked, and what to ask instead. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(
    readonly reason: string,
    readonly fix: string,
  ) {
    super(`${reason} Fix: ${fix}`);
  }
}
