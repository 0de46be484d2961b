import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { Hono } from 'hono';
import { fixtureServer } from './fixture-server.js';

/** Serves the fixture over streamable HTTP on a free port of this machine. Resolves with its address. */
export function serveFixture(): Promise<{ readonly url: string; readonly server: ServerType }> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const begin = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await fixtureServer().connect(transport);
    return transport;
  };
  const app = new Hono();
  app.all('/mcp', async ({ req }) => {
    const { host } = new URL(req.url);
    const origin = req.header('origin');
    if (!isHere(host) || (origin !== undefined && !isHere(new URL(origin).host))) {
      return new Response('not from here', { status: 403 });
    }
    const id = req.header('mcp-session-id');
    const transport = id === undefined ? await begin() : sessions.get(id);
    return transport?.handleRequest(req.raw) ?? new Response('Session not found', { status: 404 });
  });
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (address) =>
      resolve({ url: urlOf(address), server }),
    );
  });
}

function urlOf({ port }: AddressInfo): string {
  return `http://127.0.0.1:${port}/mcp`;
}

function isHere(host: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host);
}
