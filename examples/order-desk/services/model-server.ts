/** A scripted model behind OpenAI's wire format: `tsx services/model-server.ts --today 2026-11-30`. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { programOptions } from '../program-options.js';
import { completion, completionChunks, type ResponseHead, toWireTurn } from './chat-completion.js';
import { chatRequest } from './chat-request.js';
import { jsonBody } from './json-body.js';
import { type ModelFault, modelFault } from './model-fault.js';
import { decideNextTurn } from './script.js';
import { serveApp } from './serve-app.js';

const { today } = programOptions(['today']);
const app = new Hono<{ Bindings: HttpBindings }>();

// Like a real provider's, no id is ever given twice: not in this process, not in another.
const instance = randomUUID().replaceAll('-', '').slice(0, 12);
let ids = 0;
let requests = 0;
let armed: ModelFault | undefined;
const newId = (prefix: string) => `${prefix}${instance}${++ids}`;

app.get('/tally', (context) => context.json({ requests }));

app.post('/faults', async (context) => {
  armed = await jsonBody(context, modelFault);
  return context.json({ armed });
});

app.post('/v1/chat/completions', async (context) => {
  requests += 1;
  const request = await jsonBody(context, chatRequest);
  const head: ResponseHead = {
    id: newId('chatcmpl-'),
    created: Math.floor(Date.now() / 1000),
    model: request.model,
  };
  if (armed !== undefined) await sleep(armed.thinkMs);
  const turn = toWireTurn(
    decideNextTurn(request.messages, { today, temper: armed === undefined ? 'heeds' : 'insists' }),
    JSON.stringify(request.messages),
    () => newId('call_'),
  );
  if (!request.stream) return context.json(completion(head, turn));

  const withUsage = request.stream_options?.include_usage ?? false;
  return streamSSE(context, async (stream) => {
    for (const chunk of completionChunks(head, turn, withUsage)) {
      await stream.writeSSE({ data: JSON.stringify(chunk) });
    }
    await stream.writeSSE({ data: '[DONE]' });
  });
});

serveApp(app);
