import { describe, expect, it } from 'vitest';
import { effectKey, wishDigest } from '../effect-key.js';
import { found, type OpenLedgers, stage } from './store-fixture.js';
import { failed, leaseMs, rowOf, succeeded, suspended, unknown, wish } from './worker.js';

const bytes = (...values: number[]) => new Uint8Array(values);

/** What a claim finds, and what it writes. */
export function claimContract(open: OpenLedgers): void {
  describe('a claim', () => {
    const at = stage(open);

    it('finds nothing and writes down the whole declaration, identity excepted', async () => {
      const declaration = wish({
        before: bytes(4, 5),
        frozenArgs: bytes(1, 2, 3),
        place: {
          ...{ threadId: 't', checkpointNs: 'n', checkpointId: 'c', taskId: 'k' },
          ...{ messageId: 'm', position: 2, callId: 'x', step: 3 },
        },
      });
      const claim = await at.ada.claim(declaration);
      const { identity, ...kept } = declaration;
      const key = effectKey({ ...declaration, generation: 0 });
      expect(claim).toEqual({
        found: 'nothing',
        epoch: 1,
        effect: {
          ...kept,
          key,
          wish: wishDigest(declaration),
          generation: 0,
          state: 'attempting',
          owner: at.ada.owner,
          version: 1,
          startSeq: 1,
          attempts: [{ id: 'ada-1', startedAt: at.clock.now }],
        },
      });
      const row = await rowOf(at.second, key);
      expect(row).toEqual(found(claim, 'nothing').effect);
      expect(Object.values(row)).not.toContain(identity);
    });

    it('finds an open row, with the lease under which it is worked on', async () => {
      const { effect } = found(await at.ada.claim(wish()), 'nothing');
      expect(await at.bob.claim(wish())).toEqual({
        found: 'open',
        effect,
        lease: { holder: at.ada.owner, untilMs: at.clock.now + leaseMs },
      });
    });

    it('finds a suspended row open, and no lease', async () => {
      const effect = await at.ada.doing(wish(), suspended);
      expect(await at.bob.claim(wish())).toEqual({ found: 'open', effect });
    });

    it('finds what was done, with its result', async () => {
      const effect = await at.ada.doing(wish(), succeeded('message id 7'));
      expect(await at.bob.claim(wish())).toEqual({ found: 'done', effect });
    });

    it('finds an unknown outcome', async () => {
      const effect = await at.ada.doing(wish(), unknown());
      expect(await at.bob.claim(wish())).toEqual({ found: 'unknown', effect });
    });

    it('finds a failure and attempts it again: same key, same arguments, one more attempt', async () => {
      const before = await at.ada.doing(wish({ frozenArgs: bytes(1) }), failed());
      const claim = found(await at.bob.claim(wish({ frozenArgs: bytes(2) })), 'failed');
      expect(claim.epoch).toBe(2);
      expect(claim.effect).toMatchObject({
        key: before.key,
        state: 'attempting',
        owner: at.bob.owner,
        frozenArgs: bytes(1),
        generation: 0,
        version: 3,
        startSeq: 2,
        attempts: [...before.attempts, { id: 'bob-1', startedAt: at.clock.now }],
      });
      expect(claim.effect).not.toHaveProperty('failureKind');
      expect(await rowOf(at.ledger, before.key)).toEqual(claim.effect);
    });

    it('of another run that attempts a failed row again takes it over', async () => {
      const wide = wish({ scope: 'business' });
      await at.ada.doing(wide, failed());
      const place = { threadId: 'thread-2', callId: 'call-2' };
      const theirs = { ...wide, runId: 'run-2', intentId: 'intent-2', place };
      const { effect } = found(await at.bob.claim(theirs), 'failed');
      expect(effect).toMatchObject({ runId: 'run-2', intentId: 'intent-2', place });
      expect(await at.ledger.find({ runId: 'run-1' })).toEqual([]);
      expect(await at.ledger.find({ runId: 'run-2' })).toEqual([effect]);
      expect(await at.ledger.find({ tenant: 'acme', intentId: 'intent-2' })).toEqual([effect]);
      const inThread = { tenant: 'acme', threadId: 'thread-2', unfinished: true } as const;
      expect(await at.ledger.find(inThread)).toEqual([effect]);
      expect(found(await at.ada.claim(theirs), 'open').lease?.holder).toEqual(at.bob.owner);
    });

    it('with a key that was given with other arguments is a conflict', async () => {
      const given = wish({ keyGiven: true, identity: 'order-7' });
      const effect = await at.ada.doing(given, succeeded());
      const other = { ...given, argsDigest: 'digest of b' };
      expect(await at.bob.claim(other)).toEqual({ found: 'conflict', effect });
      expect(found(await at.bob.claim(given), 'done').effect).toEqual(effect);
    });

    it('does not take a given key for arguments that read the same', async () => {
      await at.ada.doing(wish({ keyGiven: true, identity: 'order-7' }), succeeded());
      found(await at.ada.claim(wish({ identity: 'order-7' })), 'nothing');
    });

    it('keeps texts and bytes exactly as they are', async () => {
      const odd = 'a\0b\n"quoted" \\u0000 \ud800 \u{1f600} é';
      const declaration = wish({
        ...{ tenant: odd, runId: odd, intentId: odd, tool: odd, toolVersion: odd },
        ...{ argsDigest: odd, instance: odd, frozenArgs: bytes(), before: bytes() },
        place: { threadId: odd, callId: odd },
      });
      const { effect } = found(await at.ada.claim(declaration), 'nothing');
      expect(await rowOf(at.second, effect.key)).toEqual(effect);
      expect(await at.second.find({ runId: odd })).toEqual([effect]);
      const done = await at.ada.move(effect, {
        to: 'succeeded',
        result: { kept: true, type: odd, bytes: bytes(), digest: odd },
        undo: { undo: 'ready', tool: odd, args: bytes(), strength: 'weak', validUntil: 7 },
        evidence: { by: 'attempt', note: odd },
      });
      expect(await at.second.find({ key: effect.key })).toEqual('moved' in done && [done.moved]);
    });

    it('keeps bytes that the caller overwrites afterwards', async () => {
      const frozenArgs = bytes(1, 2, 3);
      const { effect } = found(await at.ada.claim(wish({ frozenArgs })), 'nothing');
      frozenArgs.fill(0);
      expect((await rowOf(at.ledger, effect.key)).frozenArgs).toEqual(bytes(1, 2, 3));
    });
  });
}
