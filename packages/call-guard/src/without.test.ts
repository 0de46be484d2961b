import { describe, expect, it } from 'vitest';
import { coded, type Desk, desk, gist, type OrderGuard } from './order-tools.fixture.js';
import { type RemovableMechanism, without } from './testing/index.js';

const mail = (callId: string) =>
  ({ tool: 'send_mail', args: { to: 'A', subject: 's' }, callId }) as const;

/** Each mechanism's named expectation; true with the mechanism, false without it. */
const expectations: Record<
  RemovableMechanism,
  { readonly says: string; holds(shop: Desk, guard: OrderGuard): Promise<boolean> }
> = {
  'write-ahead': {
    says: 'the row is there while the tool runs',
    async holds({ rows }, guard) {
      let there = 0;
      await guard.inRun({ intentId: 'i1' }, () =>
        guard.call(mail('c1'), async () => {
          there = (await rows()).length;
        }),
      );
      return there === 1;
    },
  },
  'single-flight': {
    says: 'an equal call does not ask the ledger while the first is under way',
    async holds({ ledger, clock }, guard) {
      let claims = 0;
      const { claim } = ledger;
      Object.assign(ledger, {
        claim: (...args: Parameters<typeof claim>) => {
          claims += 1;
          return claim(...args);
        },
      });
      const answers = guard.inRun({ intentId: 'i1' }, () =>
        Promise.all([
          guard.call(mail('c1'), async () => 'sent'),
          guard.call(mail('c2'), async () => 'sent'),
        ]),
      );
      await clock.advance(100);
      await answers;
      return claims === 1;
    },
  },
  barrier: {
    says: 'an irreversible call does not start before its checkpoint is durable',
    async holds(_, guard) {
      const { run } = guard.adapter.openRun(
        { tenant: 'default', runId: 'r1', intentId: 'i1' },
        'once',
      );
      const barrier = async () => ({ checkpointId: 'k1', waitedMs: 2_000 });
      const answer = await guard.adapter.call(mail('c1'), { run, barrier }, async () => 'sent');
      return gist(answer) === 'not_durable, none';
    },
  },
  probe: {
    says: 'an unknown outcome is asked about',
    async holds({ charges }, guard) {
      charges.id = 'ch_1';
      const answer = await guard.inRun({ intentId: 'i1' }, () =>
        guard.call({ tool: 'charge', args: { orderId: 'o1' }, callId: 'c1' }, async () => {
          throw coded('ECONNRESET');
        }),
      );
      return answer.ok;
    },
  },
  'class-rules': {
    says: 'an irreversible call whose answer was lost is made once',
    async holds({ after }, guard) {
      let ran = 0;
      await after(
        1_000,
        guard.inRun({ intentId: 'i1' }, () =>
          guard.call(mail('c1'), async () => {
            ran += 1;
            throw coded('ECONNRESET');
          }),
        ),
      );
      return ran === 1;
    },
  },
};

describe('each mechanism can be seen to work', () => {
  it.each(
    Object.entries(expectations).map(([name, { says }]) => [name as RemovableMechanism, says]),
  )('%s: %s', async (name) => {
    const expectation = expectations[name as RemovableMechanism];
    const whole = desk();
    expect(await expectation.holds(whole, whole.guard)).toBe(true);
    const reduced = desk();
    const mutant = without(reduced.guard, name as RemovableMechanism);
    expect(await expectation.holds(reduced, mutant)).toBe(false);
  });

  it('several can be taken out one after another', async () => {
    const shop = desk();
    const mutant = without(without(shop.guard, 'class-rules'), 'write-ahead');
    expect(await expectations['class-rules'].holds(shop, mutant)).toBe(false);
    expect(await shop.rows()).toEqual([]);
  });
});
