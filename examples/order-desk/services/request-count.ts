import type { MiddlewareHandler } from 'hono';

interface RequestCount {
  /** Stands before everything else of a write, faults included. */
  onWrite: MiddlewareHandler;
  /** Writes that were asked for, whatever became of them. */
  count(): number;
}

export function createRequestCount(): RequestCount {
  let requests = 0;
  return {
    onWrite: async (_, next) => {
      requests += 1;
      return next();
    },
    count: () => requests,
  };
}
