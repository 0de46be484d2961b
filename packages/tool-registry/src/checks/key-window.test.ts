import { describe, expect, it } from 'vitest';
import { assumed, type Duration, defineTool } from '../index.js';
import { findingsOf, helper, write } from './one-tool.fixture.js';

const keeping = (serverKeepsKeyFor: Duration, ceilingMs = 4_000) =>
  ({
    ...write,
    name: 'set_row',
    idempotency: { ...write.idempotency, serverKeepsKeyFor },
    latency: assumed(ceilingMs),
  }) as const;
const findings = (serverKeepsKeyFor: Duration, ceilingMs?: number) =>
  findingsOf('key-window', defineTool(keeping(serverKeepsKeyFor, ceilingMs)));

describe('a key that the server forgets', () => {
  it('while the call may still be taken up is told', () => {
    expect(findings('1d')).toEqual([
      "tools.set_row.idempotency.serverKeepsKeyFor: 1 d is shorter than the retries of a call (10 min 19 s) and the 1 d in which it may be taken up again after a crash; later it would be left to a person. add a probe, or have the server keep keys for '25h'",
    ]);
  });

  it('after the retries and a day is in order', () => {
    // Three tries of 4, 6 and 9 s, and twice 5 min before a try.
    const needed = 86_400_000 + 600_000 + 19_000;
    expect(findings(needed)).toEqual([]);
    expect(findings(needed - 1)).toHaveLength(1);
    expect(findings(needed, 5_000)).toHaveLength(1);
  });

  it('is in order where the other side can still be asked', () => {
    const probed = defineTool({
      ...keeping('1h'),
      probe: {
        tool: helper,
        args: ({ args }) => args,
        answer: () => ({ found: 'one', evidence: 1 }),
      },
    });
    expect(findingsOf('key-window', helper, probed)).toEqual([]);
  });
});
