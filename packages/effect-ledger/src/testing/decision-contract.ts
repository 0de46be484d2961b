import { describe, expect, it } from 'vitest';
import type { NewDecision } from '../decision.js';
import { type OpenLedgers, stage } from './store-fixture.js';

const decision = (change: Partial<NewDecision> = {}): NewDecision => ({
  tenant: 'acme',
  runId: 'run-1',
  threadId: 'thread-1',
  tool: 'send_mail',
  argsDigest: 'digest of a',
  messageId: 'message-1',
  callId: 'call-1',
  kind: 'approved',
  by: 'person',
  ...change,
});
const ofRun = { tenant: 'acme', runId: 'run-1' };

/** What people decided about calls, and what stands of it. */
export function decisionContract(open: OpenLedgers): void {
  describe('a decision', () => {
    const at = stage(open);

    it('is kept as it was made, with the time by the store’s clock', async () => {
      const whole = decision({
        ...{ kind: 'edited', by: 'Zoë "Z" \ud800', editedTo: 'digest of b', note: 'less\0' },
        expiresAt: at.clock.now + 60_000,
      });
      const { threadId, messageId, callId, ...bare } = decision({ tool: 'refund' });
      expect(await at.ledger.decide(whole)).toEqual({ ...whole, at: at.clock.now });
      await at.ledger.decide(bare);
      expect(await at.second.decisions(ofRun)).toEqual([
        { ...whole, at: at.clock.now },
        { ...bare, at: at.clock.now },
      ]);
    });

    it('is found by run and by thread of its tenant, oldest first', async () => {
      for (const change of [
        { callId: 'b' },
        { callId: 'a' },
        { callId: 'c', runId: 'run-2' },
        { callId: 'd', threadId: 'thread-2' },
        { callId: 'e', tenant: 'other' },
      ]) {
        await at.ledger.decide(decision(change));
      }
      const calls = async (query: Parameters<typeof at.ledger.decisions>[0]) =>
        (await at.second.decisions(query)).map(({ callId }) => callId);
      expect(await calls(ofRun)).toEqual(['b', 'a', 'd']);
      expect(await calls({ tenant: 'acme', threadId: 'thread-1' })).toEqual(['b', 'a', 'c']);
      expect(await calls({ tenant: 'other', runId: 'run-1' })).toEqual(['e']);
      expect(await calls({ tenant: 'acme', runId: 'nobody' })).toEqual([]);
    });

    it('that says what stands already changes nothing, at whatever time', async () => {
      const first = await at.ledger.decide(decision());
      at.clock.now += 5;
      expect(await at.second.decide(decision())).toEqual(first);
      expect(await at.ledger.decisions(ofRun)).toEqual([first]);
    });

    it('is replaced by a later one about the same call with the same arguments', async () => {
      await at.ledger.decide(decision({ kind: 'reuse' }));
      await at.ledger.decide(decision({ kind: 'again' }));
      const last = await at.ledger.decide(decision({ kind: 'reuse', by: 'Ben' }));
      expect(await at.second.decisions(ofRun)).toEqual([last]);
    });

    it('about other arguments, or another call, leaves the first as it is', async () => {
      const made = [];
      for (const change of [
        {},
        { argsDigest: 'digest of b' },
        { callId: 'call-2' },
        { messageId: 'message-2' },
        { tool: 'refund' },
        { runId: 'run-2' },
      ]) {
        made.push(await at.ledger.decide(decision(change)));
      }
      expect(await at.second.decisions(ofRun)).toEqual(made.slice(0, -1));
    });

    it('that rejects is final: it overrules approvals, and none overrules it', async () => {
      await at.ledger.decide(decision());
      await at.ledger.decide(decision({ argsDigest: 'digest of b' }));
      const rejected = await at.ledger.decide(decision({ kind: 'rejected', note: 'no' }));
      for (const change of [
        {},
        { kind: 'edited', editedTo: 'digest of b' },
        { argsDigest: 'digest of b' },
        { kind: 'rejected', note: 'still no' },
      ] as const) {
        expect(await at.second.decide(decision(change))).toEqual(rejected);
      }
      expect(await at.second.decisions(ofRun)).toEqual([rejected]);
    });

    it('that rejects a call without an id rejects its arguments, and no others', async () => {
      const { callId, messageId, ...unnamed } = decision();
      const rejected = await at.ledger.decide({ ...unnamed, kind: 'rejected' });
      expect(await at.ledger.decide(unnamed)).toEqual(rejected);
      const other = await at.ledger.decide({ ...unnamed, argsDigest: 'digest of b' });
      expect(await at.second.decisions(ofRun)).toEqual([rejected, other]);
    });
  });
}
