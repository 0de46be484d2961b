/**
 * An MCP server over HTTP without any SDK, so that it can misbehave: it cuts, stalls, forgets, limits and ends.
 * Each effect is a line in the file that EFFECTS names. Listens at PORT, or anywhere, and prints where.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const effect = (line) => appendFileSync(process.env.EFFECTS, `${line}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const sessions = new Map();
/** Answers that wait for `release`, and those that a stream was cut before, by event id. */
const pending = new Map();
const cut = new Map();
const counts = new Map();

const json = (response, message) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
};
const stream = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return {
    say: (message) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`),
    raw: (bytes) => response.write(bytes),
    end: () => response.end(),
  };
};
const answer = (response, id, value) => json(response, { id, result: text(value) });
/** How often this tool was called, with this time. */
const count = (name) => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts.get(name);
};

const mail = ({ params }) => effect(`mail ${params.arguments.to}`);
const tools = {
  echo: ({ id, params }, response, request) =>
    answer(response, id, JSON.stringify({ ...params, headers: request.headers })),
  exact(message, response) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      `{"result":{"content":[],"vendor":{"n":1.0e+2}},"jsonrpc":"2.0","id":${JSON.stringify(message.id)}}`,
    );
  },
  send_mail(message, response) {
    mail(message);
    answer(response, message.id, 'sent');
  },
  send_and_die(message) {
    mail(message);
    process.kill(process.pid, 'SIGKILL');
  },
  send_slowly(message, response) {
    mail(message);
    const { say, end } = stream(response);
    pending.set(message.id, () => {
      say({ id: message.id, result: text('sent') });
      end();
    });
  },
  waits: (message, response) => tools.send_slowly(message, response),
  release({ id }, response) {
    for (const done of pending.values()) done();
    pending.clear();
    answer(response, id, 'released');
  },
  send_and_drop(message, response) {
    mail(message);
    response.destroy();
  },
  /** Knows a repetition by its key; the first answer is lost. */
  book_and_drop({ id }, response, { headers }) {
    const key = headers['idempotency-key'];
    if (count(key) > 1) return answer(response, id, 'booked');
    effect(`booked ${key}`);
    response.destroy();
  },
  send_and_cut(message, response) {
    mail(message);
    stream(response).raw(': working\n\n');
    setImmediate(() => response.destroy());
  },
  send_and_end(message, response) {
    mail(message);
    const { raw, end } = stream(response);
    raw(': working\n\n');
    end();
  },
  send_and_cut_text(message, response) {
    mail(message);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 500 });
    response.write(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},`);
    setImmediate(() => response.destroy());
  },
  /** Its rest can be asked for. */
  send_and_resume(message, response) {
    mail(message);
    const eventId = randomUUID();
    cut.set(eventId, { id: message.id, result: text('sent') });
    stream(response).raw(`retry: 20\nid: ${eventId}\ndata: \n\n`);
    setImmediate(() => response.destroy());
  },
  send_and_stall(message, response) {
    mail(message);
    stream(response).raw(': working\n\n');
    response.on('close', () => effect('left'));
  },
  send_and_keep_alive(message, response) {
    mail(message);
    const { raw } = stream(response);
    const timer = setInterval(() => raw(': keepalive\n\n'), 20);
    response.on('close', () => {
      clearInterval(timer);
      effect('left');
    });
  },
  limited(message, response) {
    if (count('limited') === 1) return limit(response, '1');
    tools.send_mail(message, response);
  },
  limited_until(message, response) {
    if (count('limited_until') === 1) {
      return limit(response, new Date(Date.now() + 2_000).toUTCString());
    }
    tools.send_mail(message, response);
  },
  limited_for_long: (_, response) => limit(response, '3600'),
  send_and_fail(message, response) {
    mail(message);
    response.writeHead(502).end('bad gateway');
  },
  is_forbidden: (_, response) => response.writeHead(403).end('not you'),
  is_a_page(message, response) {
    mail(message);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  },
  refuses: ({ id }, response) =>
    json(response, { id, error: { code: -32602, message: 'no such order', data: { order: 7 } } }),
  steps({ id, params }, response) {
    const { progressToken } = params._meta ?? {};
    const { say, end } = stream(response);
    for (const progress of [1, 2]) {
      say({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } });
    }
    say({ id, result: text('walked') });
    end();
  },
  /** Asks the host something in between. */
  asks({ id }, response) {
    const { say, end } = stream(response);
    pending.set('question', () => {
      say({ id, result: text('asked') });
      end();
    });
    say({ id: 0, method: 'elicitation/create', params: { message: 'sure?' } });
  },
  huge({ id }, response) {
    effect('huge');
    const { say, end } = stream(response);
    say({ id, result: text('x'.repeat(11 * 1024 * 1024)) });
    end();
  },
  /** Every session is unknown from now on. */
  forget({ id }, response) {
    sessions.clear();
    answer(response, id, 'forgotten');
  },
};

function limit(response, retryAfter) {
  response.writeHead(429, { 'retry-after': retryAfter }).end('slow down');
}

function handle(message, request, response) {
  const { id, method, params } = message;
  if (method === 'initialize') {
    const session = randomUUID();
    sessions.set(session, { isReady: false });
    effect('session');
    response.setHeader('mcp-session-id', session);
    return json(response, {
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'desk', version: '1' },
      },
    });
  }
  const session = sessions.get(request.headers['mcp-session-id']);
  if (session === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' });
    return response.end(
      '{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}',
    );
  }
  if (method === 'notifications/initialized') session.isReady = true;
  // As a server does that is spoken to before it was greeted.
  else if (!session.isReady) return response.writeHead(400).end('too early');
  if (id === undefined || method === undefined) {
    if (method === undefined) pending.get('question')?.();
    if (method === 'notifications/cancelled') effect('cancelled');
    return response.writeHead(202).end();
  }
  switch (method) {
    case 'tools/list': {
      const tool = (name) => ({
        name,
        description: `Does ${name}.`,
        inputSchema: { type: 'object' },
      });
      return json(response, { id, result: { tools: Object.keys(tools).map(tool) } });
    }
    case 'tools/call':
      return tools[params.name](message, response, request);
    case 'vendor/stalls':
      effect('stalls');
      stream(response).raw(': working\n\n');
      return response.on('close', () => effect('left'));
    default:
      return json(response, { id, result: { hello: params } });
  }
}

const server = createServer(async (request, response) => {
  const { method, headers } = request;
  if (method === 'GET') {
    const rest = cut.get(headers['last-event-id']);
    if (rest === undefined) return response.writeHead(405).end();
    const { say, end } = stream(response);
    say(rest);
    return end();
  }
  if (method === 'DELETE') {
    effect('session ended');
    sessions.delete(headers['mcp-session-id']);
    return response.writeHead(200).end();
  }
  let body = '';
  for await (const chunk of request) body += chunk;
  handle(JSON.parse(body), request, response);
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  process.stdout.write(`${server.address().port}\n`);
});
