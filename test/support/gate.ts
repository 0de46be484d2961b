import { setImmediate as endOfTurn } from 'node:timers/promises';

/** A promise to be settled by the test. */
export interface Gate<T> {
  readonly opened: Promise<T>;
  open(value: T): void;
}

export function gate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open: (value) => open(value) };
}

/** Waits, turn by turn of the event loop, until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 100_000; turns += 1) {
    if (await holds()) return;
    await endOfTurn();
  }
  throw new Error('it never came to hold');
}

/** A promise that nobody settles: a process that was killed. */
export const never = new Promise<never>(() => {});
