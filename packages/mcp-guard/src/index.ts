export { type GuardedRequest, guardedRequest } from './server/guarded-request.js';
export { type AnyServer, type HonorOptions, honorGuard } from './server/honor-guard.js';
