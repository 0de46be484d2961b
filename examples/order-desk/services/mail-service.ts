/** The mail service: `tsx services/mail-service.ts --db FILE`. It knows no idempotency. */
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { z } from 'zod';
import { programOptions } from '../program-options.js';
import { createFaults } from './faults.js';
import { jsonBody } from './json-body.js';
import { type Mail, openMailStore } from './mail-store.js';
import { createRequestCount } from './request-count.js';
import { requestKey } from './request-key.js';
import { serveApp } from './serve-app.js';

const mailBody: z.ZodType<Mail> = z.object({
  to: z.email(),
  subject: z.string(),
  body: z.string(),
});

const store = openMailStore(programOptions(['db']).db);
const faults = createFaults();
const requests = createRequestCount();
const app = new Hono<{ Bindings: HttpBindings }>();
app.route('/', faults.routes);

app.get('/tally', (context) => context.json({ ...store.tally(), requests: requests.count() }));

// The time is taken before the search, so the answer is complete as of that time.
app.get('/mails', (context) => {
  const asOf = new Date().toISOString();
  const key = context.req.query('key');
  if (!key) return context.json({ error: 'Say which key: GET /mails?key=…' }, 400);
  const messageIds = store.sentWith(key);
  return context.json({ count: messageIds.length, messageIds, asOf });
});

app.post('/mails', requests.onWrite, faults.onWrite, async (context) => {
  const mail = await jsonBody(context, mailBody);
  return context.json({ messageId: store.send(mail, requestKey(context)) });
});

serveApp(app);
