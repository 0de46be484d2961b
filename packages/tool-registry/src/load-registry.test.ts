import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadRegistry } from './load-registry.js';

it('a registry file that is not there is said to be missing', async () => {
  const file = fileURLToPath(new URL('./nowhere.registry.ts', import.meta.url));
  expect(await loadRegistry(file)).toEqual({
    loaded: 'unreadable',
    reason: 'there is no such file',
  });
});
