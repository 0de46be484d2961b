interface Heard {
  readonly listeners: Set<() => void>;
  readonly ring: () => void;
}

const heard = new WeakMap<AbortSignal, Heard>();

/**
 * Calls `listener` once when the signal is aborted, unless it is let go of before: by the returned
 * function, which must be called on every other path. A signal that many calls share is listened to once
 * for all of them, so that Node takes none of it for a leak.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => {};
  const { listeners, ring } = heard.get(signal) ?? listenTo(signal);
  // A listener of its own for each caller, even if two give the same function.
  const own = (): void => listener();
  listeners.add(own);
  return () => {
    if (!listeners.delete(own) || listeners.size > 0) return;
    signal.removeEventListener('abort', ring);
    heard.delete(signal);
  };
}

/** As {@link onAbort}, with the reason; at once where the signal was aborted before. */
export function onGivenUp(signal: AbortSignal, listener: (reason: unknown) => void): () => void {
  if (!signal.aborted) return onAbort(signal, () => listener(signal.reason));
  listener(signal.reason);
  return () => {};
}

function listenTo(signal: AbortSignal): Heard {
  const listeners = new Set<() => void>();
  const ring = (): void => {
    heard.delete(signal);
    const all = [...listeners];
    listeners.clear();
    for (const listener of all) listener();
  };
  signal.addEventListener('abort', ring, { once: true });
  const made = { listeners, ring };
  heard.set(signal, made);
  return made;
}
