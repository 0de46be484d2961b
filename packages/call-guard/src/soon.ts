/**
 * A value that is there, or will be. Most stages of most calls have nothing to wait for, and to wait for
 * nothing takes longer than they do: whoever takes one awaits it only if it is a promise.
 */
export type Soon<T> = T | Promise<T>;
