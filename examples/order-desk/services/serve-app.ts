import { type HttpBindings, serve } from '@hono/node-server';
import type { Hono } from 'hono';
import { announce } from './announcement.js';

/** Serves an app on a free loopback port and announces the URL. */
export function serveApp(app: Hono<{ Bindings: HttpBindings }>): void {
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
    announce({ kind: 'ready', url: `http://127.0.0.1:${port}` });
  });
}
