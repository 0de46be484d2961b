/**
 * A value that is there, or will be. Most stages of most calls have nothing to wait for, and to wait for
 * nothing takes longer than they do: whoever takes one awaits it only if it is a promise.
 */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there. */
export function after<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The promise of what `work` gives: its own where it gives one, and a rejection where it throws. */
export function promiseOf<A extends readonly unknown[], T>(
  work: (...args: A) => Soon<T>,
  ...args: A
): Promise<T> {
  try {
    return Promise.resolve(work(...args));
  } catch (error) {
    return Promise.reject(error);
  }
}
