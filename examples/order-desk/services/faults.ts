import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { announce } from './announcement.js';
import { jsonBody } from './json-body.js';

/** What the demo can arm. Every fault strikes after a write took effect, before its answer. */
const fault = z.discriminatedUnion('fault', [
  z.object({ fault: z.literal('lost-response'), times: z.int().positive() }),
  z.object({ fault: z.literal('hold') }),
]);
export type Fault = z.infer<typeof fault>;

/** What each fault does to the connection of the write it strikes. */
const strikes: Record<Fault['fault'], (outgoing: ServerResponse) => Promise<unknown>> = {
  'lost-response': async (outgoing) => outgoing.destroy(),
  hold: async (outgoing) => {
    const closed = once(outgoing, 'close');
    announce({ kind: 'held' });
    await closed;
  },
};

interface Faults {
  /** `POST /faults`, for the driver of the demo only. */
  routes: Hono<{ Bindings: HttpBindings }>;
  /** Stands before the handler of a write; a write that was refused uses up no fault. */
  onWrite: MiddlewareHandler<{ Bindings: HttpBindings }>;
}

/** The faults of one service: armed in order, each striking one write. */
export function createFaults(): Faults {
  const armed: Fault['fault'][] = [];

  const routes = new Hono<{ Bindings: HttpBindings }>().post('/faults', async (context) => {
    const order = await jsonBody(context, fault);
    const writes = order.fault === 'lost-response' ? order.times : 1;
    armed.push(...Array<Fault['fault']>(writes).fill(order.fault));
    return context.json({ armed });
  });

  return {
    routes,
    onWrite: async (context, next) => {
      await next();
      if (!context.res.ok) return;
      const struck = armed.shift();
      if (!struck) return;
      await strikes[struck](context.env.outgoing);
      context.res = RESPONSE_ALREADY_SENT;
    },
  };
}
