import { describe, expect, it } from 'vitest';
import { coded, type Desk, desk, gist, type OrderGuard } from './order-tools.fixture.js';
import { type RemovableMechanism, without } from './testing/index.js';

const mail = (callId: string) =>
  ({ tool: 'send_mail', args: { to: 'A', subject: 's' }, callId }) as const;

const order = (callId: string) => ({ tool: 'get_order', args: { orderId: 'o1' }, callId }) as const;
const found = async () => ({ orderId: 'o1', slot: 'A' });
const unavailable = async (): Promise<never> => {
  throw Object.assign(new Error('unavailable'), { status: 503 });
};

/** Each mechanism's named expectation; true with the mechanism, false without it. */
const expectations: Record<
  RemovableMechanism,
  {
    readonly says: string;
    readonly options?: Parameters<typeof desk>[0];
    holds(shop: Desk, guard: OrderGuard): Promise<boolean>;
  }
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
  deadline: {
    says: 'a call that cannot finish in what is left is not started',
    async holds({ clock }, guard) {
      return guard.inRun({ intentId: 'i1', limits: { deadline: 1_000 } }, async () => {
        await clock.advance(500);
        return gist(await guard.call(order('c1'), found)) === 'deadline_exceeded, none';
      });
    },
  },
  'circuit-breaker': {
    says: 'a tool that fails again and again is not called',
    async holds({ after }, guard) {
      for (const intentId of ['i1', 'i2', 'i3']) {
        const run = guard.inRun({ intentId }, () => guard.call(order('c1'), unavailable));
        await after(2_000, run);
      }
      const answer = await guard.inRun({ intentId: 'i4' }, () => guard.call(order('c1'), found));
      return gist(answer) === 'circuit_open, none';
    },
  },
  'retry-budget': {
    says: 'retries are a share of the calls, whatever each call is allowed',
    options: {
      settings: { retryBudgetFloor: 0, breakerConsecutive: 1_000, breakerFailures: 1_000 },
    },
    async holds({ after }, guard) {
      let ran = 0;
      const one = (callId: string) =>
        guard.call({ ...order(callId), args: { orderId: callId } }, async () => {
          ran += 1;
          return unavailable();
        });
      const ids = ['c1', 'c2', 'c3', 'c4', 'c5'];
      await after(
        2_000,
        guard.inRun({ intentId: 'i1' }, () => Promise.all(ids.map(one))),
      );
      // 20 % of five first tries.
      return ran === 6;
    },
  },
  'retry-scope': {
    says: 'a call inside of one that is tried again is made once for each of its tries',
    options: { settings: { breakerConsecutive: 1_000, breakerFailures: 1_000 } },
    async holds({ after }, guard) {
      let ran = 0;
      const inner = async (): Promise<never> => {
        ran += 1;
        return unavailable();
      };
      await after(
        10_000,
        guard.inRun({ intentId: 'i1' }, () =>
          guard.call(order('outer'), async () => {
            await guard.call({ ...order('inner'), args: { orderId: 'o2' } }, inner);
            return unavailable();
          }),
        ),
      );
      return ran === 3;
    },
  },
  'loop-guard': {
    says: 'the fourth equal call with the same result is refused',
    async holds(_, guard) {
      const gists = await guard.inRun({ intentId: 'i1' }, async () => {
        const answers: string[] = [];
        for (const callId of ['c1', 'c2', 'c3', 'c4']) {
          answers.push(gist(await guard.call(order(callId), found)));
        }
        return answers;
      });
      return gists.join() === 'ok,ok,ok,loop_detected, none';
    },
  },
};

describe('each mechanism can be seen to work', () => {
  it.each(
    Object.entries(expectations).map(([name, { says }]) => [name as RemovableMechanism, says]),
  )('%s: %s', async (name) => {
    const expectation = expectations[name as RemovableMechanism];
    const whole = desk(expectation.options);
    expect(await expectation.holds(whole, whole.guard)).toBe(true);
    const reduced = desk(expectation.options);
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
