export { failureOf, type ToldFailure } from './client/failure-of.js';
export {
  type AnyClient,
  type AnyTransport,
  type GuardClientOptions,
  guardClient,
} from './client/guard-client.js';
export { mcpFetch } from './client/mcp-fetch.js';
export { type GuardedRequest, guardedRequest } from './server/guarded-request.js';
export { type AnyServer, type HonorOptions, honorGuard } from './server/honor-guard.js';
