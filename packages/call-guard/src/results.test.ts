import { LedgerError } from '@holdfast/effect-ledger';
import { describe, expect, it } from 'vitest';
import { thaw } from './call/frozen-arguments.js';
import { desk, failureOf, gist } from './order-tools.fixture.js';

const mail = (callId: string) =>
  ({ tool: 'send_mail', args: { to: 'A', subject: 's' }, callId }) as const;
const move = (callId: string, slot = 'new') =>
  ({ tool: 'move_order', args: { orderId: 'o1', slot }, callId }) as const;

describe('the result of a write', () => {
  it('is given again as it was', async () => {
    const { run, guard } = desk();
    const result = { id: 1, note: undefined, list: [{ a: null, b: undefined }], at: '2026' };
    await run(() => guard.call(mail('c1'), async () => result));
    const again = await run(() => guard.call(mail('c2'), async () => expect.unreachable()));
    expect(again).toMatchObject({ ok: true, folded: 'folded' });
    expect(again.ok && again.result).toEqual({ id: 1, list: [{ a: null }], at: '2026' });
  });

  it('may be nothing', async () => {
    const { run, guard } = desk();
    await run(() => guard.call(mail('c1'), async () => undefined));
    const again = await run(() => guard.call(mail('c2'), async () => expect.unreachable()));
    expect(again).toMatchObject({ ok: true, result: undefined, folded: 'folded' });
  });

  it.each([
    ['too large', 'x'.repeat(70_000)],
    ['without a stored form', { n: 1n }],
  ])('that is %s is given once; after that it is done, result not kept', async (_, result) => {
    const { run, guard, events } = desk();
    const first = await run(() => guard.call(mail('c1'), async () => result));
    expect(first.ok && first.result).toBe(result);
    const again = await run(() => guard.call(mail('c2'), async () => expect.unreachable()));
    expect(gist(again)).toBe('result_not_kept, done');
    expect(failureOf(again).next).toEqual({ by: 'nobody', advice: 'do_not_retry' });
    expect(events.of('warning').map((event) => event.code)).toEqual(['result_not_kept']);
  });

  it('that another codec stored is done, and its result not readable', async () => {
    const { run, guard } = desk();
    const { run: opened } = guard.adapter.openRun(
      { tenant: 'default', runId: 'r', intentId: 'i1' },
      'once',
    );
    const codec = {
      encode: async () => ({ type: 'other', bytes: new Uint8Array([1, 2, 3]) }),
      decode: async () => 'decoded',
    };
    await guard.adapter.call(mail('c1'), { run: opened, codec }, async () => 'sent');
    const again = await run(() => guard.call(mail('c2'), async () => expect.unreachable()));
    expect(gist(again)).toBe('result_not_kept, done');
    const theirs = await guard.adapter.call(mail('c3'), { run: opened, codec }, async () =>
      expect.unreachable(),
    );
    expect(theirs).toMatchObject({ ok: true, result: 'decoded' });
  });

  it('that is not what the entry promises is a warning after a write, a failure of a read', async () => {
    const { run, guard, events, rows } = desk();
    const bad = async () => JSON.parse('{"moved":"perhaps"}');
    const write = await run(() =>
      guard.call(move('c1'), (_args, call) => {
        call.headers();
        return bad();
      }),
    );
    expect(write).toMatchObject({ ok: true, result: { moved: 'perhaps' } });
    expect(write.ok && write.warnings.map((warning) => warning.split(':')[0])).toEqual([
      'result_invalid',
    ]);
    expect(events.of('warning').map((event) => event.code)).toEqual(['result_invalid']);
    expect((await rows()).map((row) => row.state)).toEqual(['succeeded']);
    const read = await run(() =>
      guard.call({ tool: 'get_order', args: { orderId: 'o1' }, callId: 'c2' }, bad),
    );
    expect(gist(read)).toBe('result_invalid, none');
  });
});

describe('the undo of a write', () => {
  it('is stored with its success: what was captured before, as arguments of the tool that undoes', async () => {
    const { run, guard, rows, clock } = desk();
    const order: string[] = [];
    const start = clock.wallMs();
    await run(() =>
      guard.call(move('c1'), async (_args, call) => {
        call.headers();
        order.push('moved');
        return { moved: true };
      }),
    );
    const [row] = await rows();
    if (row?.state !== 'succeeded' || row.undo.undo !== 'ready') throw new Error('no undo');
    expect(thaw(row.before)).toEqual({ orderId: 'o1', slot: 'old' });
    expect(row.undo).toMatchObject({
      tool: 'move_order',
      strength: 'strong',
      validUntil: start + 7_200_000,
    });
    expect(thaw(row.undo.args)).toEqual({ orderId: 'o1', slot: 'old' });
    expect(order).toEqual(['moved']);
  });

  it('that the undoing tool would refuse is known now', async () => {
    const { run, guard, rows, events } = desk({}, (ledger) => ({
      ...ledger,
      // What was captured is lost on the way.
      claim: async (...args) => {
        const found = await ledger.claim(...args);
        return 'effect' in found && found.found === 'nothing'
          ? { ...found, effect: { ...found.effect, before: new TextEncoder().encode('{}') } }
          : found;
      },
    }));
    const answer = await run(() =>
      guard.call(move('c1'), async (_args, call) => {
        call.headers();
        return { moved: true };
      }),
    );
    expect(gist(answer)).toBe('ok');
    const [row] = await rows();
    expect(row?.state === 'succeeded' && row.undo.undo).toBe('invalid');
    expect(events.of('warning').map((event) => event.code)).toEqual(['undo_invalid']);
  });

  it('needs a state before the write: one that cannot be read starts nothing', async () => {
    const { run, guard, rows, after } = desk({
      executors: {
        get_order: async () => {
          throw new LedgerError('failed', 'not this ledger');
        },
      },
    });
    const answer = await after(
      2_000,
      run(() => guard.call(move('c1'), async () => expect.unreachable())),
    );
    expect(gist(answer)).toBe('dependency_failed, none');
    expect(await rows()).toEqual([]);
  });

  it('of a success that was handed to a person changes nothing: it still answers', async () => {
    const { run, guard, rows, ledger } = desk();
    await run(() => guard.call(mail('c1'), async () => 'sent'));
    const [row] = await rows();
    if (row === undefined) throw new Error('no row');
    const evidence = { by: 'undo' as const };
    const settle = (version: number, settlement: { settled: 'manual'; reason: string }) =>
      ledger.move(row.key, { version }, { to: 'settled', settlement, evidence });
    await settle(row.version, { settled: 'manual', reason: 'by hand' });
    const again = await run(() => guard.call(mail('c2'), async () => expect.unreachable()));
    expect(gist(again)).toBe('ok');
  });
});
