/** A value that can be used like any other, to try a mapping on when there is no effect yet. */

/** So deep that a mapping which walks a list or a chain comes to an end. */
const deepest = 12;

/**
 * Has every property, can be called, is an empty list and the text `''`. The same property is the same value.
 *
 * @param onRead told when anything of it is read
 */
export function anything(onRead: () => void = () => {}, depth = 0): unknown {
  const parts = new Map<string | symbol, unknown>();
  const further = () => (depth < deepest ? anything(onRead, depth + 1) : undefined);
  return new Proxy(() => {}, {
    get(_, name) {
      onRead();
      if (name === Symbol.iterator) return () => [].values();
      if (name === Symbol.toPrimitive) return (hint: string) => (hint === 'number' ? 0 : '');
      // No promise, and JSON takes it as it is.
      if (name === 'then' || name === 'toJSON' || typeof name === 'symbol') return undefined;
      if (name === 'length') return 0;
      if (!parts.has(name)) parts.set(name, further());
      return parts.get(name);
    },
    apply: () => further(),
    has: () => true,
    ownKeys: () => {
      onRead();
      return [];
    },
  });
}
