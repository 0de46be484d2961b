import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleProxy } from './bundle.js';
import { endProxy, orphanCells } from './orphan-cells.js';

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleProxy();
});

describe('MCP-31, MCP-32, MCP-33: nothing of a server is left', () => {
  it.each(orphanCells)('$child: the proxy ended by $ended', async (cell) => {
    const { started, left } = await endProxy(cell, bundle);
    // The server and what ends it with the proxy; a wrapper is one more.
    expect(started).toBeGreaterThanOrEqual(cell.child === 'sh -c' || cell.child === 'npx' ? 3 : 2);
    // Within what time is for `npm run orphans`: here what is left for good reaches the limit of the test.
    while ((await left()) > 0);
  });
});
