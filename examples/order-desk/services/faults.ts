import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { announce } from './announcement.js';
import { jsonBody } from './json-body.js';

const times = z.int().positive();
const delayMs = z.int().positive();

/** What the demo can arm in a service with writes. */
const fault = z.discriminatedUnion('fault', [
  /** The write takes effect, and its connection breaks before the answer. */
  z.object({ fault: z.literal('lost-response'), times }),
  /** The write takes effect, is announced as held, and never answered. */
  z.object({ fault: z.literal('hold') }),
  /** The write takes effect at once and is answered late. */
  z.object({ fault: z.literal('late-answer'), delayMs, times }),
  /** The write takes effect late, whether or not its client still waits, and is answered then. */
  z.object({ fault: z.literal('late-effect'), delayMs, times }),
  /** 429 until nobody asked for so long; whoever asks too early makes the wait begin anew. */
  z.object({ fault: z.literal('rate-limit'), retryAfterSeconds: z.int().positive() }),
  /** 500 to every write from now on; every other write, the first one too, takes effect before it. */
  z.object({ fault: z.literal('broken') }),
]);
export type Fault = z.infer<typeof fault>;

type Handler = MiddlewareHandler<{ Bindings: HttpBindings }>;

interface Faults {
  /** `POST /faults`, for the driver of the demo only. */
  routes: Hono<{ Bindings: HttpBindings }>;
  /** Stands before the handler of a write. */
  onWrite: Handler;
}

/** The faults of one service: armed in order, each striking one write or all from then on. */
export function createFaults(): Faults {
  const armed: { strike: Handler; writes: number }[] = [];

  const routes = new Hono<{ Bindings: HttpBindings }>().post('/faults', async (context) => {
    const order = await jsonBody(context, fault);
    armed.push({ strike: strikeOf(order), writes: writesOf(order) });
    return context.json({ armed: armed.length });
  });

  return {
    routes,
    onWrite: async (context, next) => {
      const [first] = armed;
      if (first === undefined) return next();
      first.writes -= 1;
      if (first.writes === 0) armed.shift();
      return first.strike(context, next);
    },
  };
}

/** How many writes a fault strikes. */
function writesOf(order: Fault): number {
  if ('times' in order) return order.times;
  return order.fault === 'hold' ? 1 : Number.POSITIVE_INFINITY;
}

function strikeOf(order: Fault): Handler {
  switch (order.fault) {
    case 'lost-response':
      return afterEffect(async (outgoing) => outgoing.destroy());
    case 'hold':
      return afterEffect(async (outgoing) => {
        const closed = once(outgoing, 'close');
        announce({ kind: 'held' });
        await closed;
      });
    case 'late-answer':
      return async (_, next) => {
        await next();
        await sleep(order.delayMs);
      };
    case 'late-effect':
      return async (_, next) => {
        await sleep(order.delayMs);
        await next();
      };
    case 'rate-limit':
      return rateLimit(order.retryAfterSeconds);
    case 'broken':
      return broken();
  }
}

/** Does something to the connection of a write that took effect, in the place of an answer. */
function afterEffect(strike: (outgoing: ServerResponse) => Promise<unknown>): Handler {
  return async (context, next) => {
    await next();
    if (!context.res.ok) return;
    await strike(context.env.outgoing);
    context.res = RESPONSE_ALREADY_SENT;
  };
}

/** A timer of another process that waits as long as asked may still be a little early by this one's clock. */
const CLOCK_TOLERANCE_MS = 10;

function rateLimit(retryAfterSeconds: number): Handler {
  let freeAt: number | undefined;
  return async (context, next) => {
    const now = performance.now();
    if (freeAt !== undefined && now >= freeAt) return next();
    freeAt = now + retryAfterSeconds * 1_000 - CLOCK_TOLERANCE_MS;
    const headers = { 'Retry-After': String(retryAfterSeconds) };
    return context.json({ error: 'Too many requests.' }, 429, headers);
  };
}

function broken(): Handler {
  let writes = 0;
  return async (context, next) => {
    writes += 1;
    if (writes % 2 === 1) await next();
    context.res = context.json({ error: 'Internal error.' }, 500);
  };
}
