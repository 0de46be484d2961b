/** The order service: `tsx services/order-service.ts --db FILE`. */
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { z } from 'zod';
import { programOptions } from '../program-options.js';
import { createFaults } from './faults.js';
import { jsonBody } from './json-body.js';
import { openOrderStore } from './order-store.js';
import { createRequestCount } from './request-count.js';
import { requestKey } from './request-key.js';
import { serveApp } from './serve-app.js';

const deliveryBody = z.object({ deliveryAt: z.iso.datetime() });

const store = openOrderStore(programOptions(['db']).db);
const faults = createFaults();
const requests = createRequestCount();
const app = new Hono<{ Bindings: HttpBindings }>();
app.route('/', faults.routes);

app.get('/tally', (context) => context.json({ ...store.tally(), requests: requests.count() }));

app.get('/orders/:orderId', (context) => {
  const order = store.find(context.req.param('orderId'));
  return order ? context.json(order) : context.json({ error: 'There is no such order.' }, 404);
});

app.put('/orders/:orderId/delivery', requests.onWrite, faults.onWrite, async (context) => {
  const { deliveryAt } = await jsonBody(context, deliveryBody);
  const move = store.moveDelivery(context.req.param('orderId'), deliveryAt, requestKey(context));
  switch (move.kind) {
    case 'moved':
    case 'replayed':
      return context.json(move.delivery);
    case 'key-reused':
      return context.json({ error: 'This key was used for another request.' }, 422);
    case 'unknown-order':
      return context.json({ error: 'There is no such order.' }, 404);
  }
});

serveApp(app);
