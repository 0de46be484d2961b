import { type Effect, LedgerError } from '@holdfast/effect-ledger';
import { isSetupError } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { currentCall } from '../call-context.js';
import { coded, type Desk, desk, failureOf, gate, gist, never } from '../order-tools.fixture.js';
import { StatedFailure } from '../stated-failure.js';
import type { CallHost } from './host.js';

class Pause extends Error {}

const mail = (callId: string) =>
  ({
    tool: 'send_mail',
    args: { to: 'A', subject: 's' },
    callId,
    place: { messageId: 'm1', position: 0 },
  }) as const;
const move = (callId: string) =>
  ({ tool: 'set_delivery', args: { orderId: 'o1', slot: 'am' }, callId }) as const;

/** A run as an adapter makes it; another invocation is another process, as far as the ledger can tell. */
function host({ guard }: Desk, invocation = 'first'): CallHost {
  const identity = { tenant: 'default', runId: 'r1', intentId: 'i1' };
  return {
    run: guard.adapter.openRun(identity, invocation).run,
    suspends: (thrown) => thrown instanceof Pause,
  };
}

/** The steps' rows of the run. */
async function steps({ ledger }: Desk, runId = 'r1'): Promise<readonly Effect[]> {
  return (await ledger.find({ runId })).filter(({ step }) => step !== undefined);
}

const states = async (shop: Desk, runId?: string) =>
  (await steps(shop, runId)).map(({ step, state }) => [step?.name, state]);

/** A tool that makes a draft, asks, and sends it. */
function draftThenSend(done: string[], waits: () => boolean) {
  return async () => {
    const step = currentCall();
    const draft = await step?.step('draft', () => {
      done.push('draft');
      return { id: `d${done.length}` };
    });
    if (waits()) throw new Pause('may I?');
    return step?.step('send', () => {
      done.push('send');
      return `sent ${draft?.id}`;
    });
  };
}

describe('LG-15: a step', () => {
  it('is not done again when the tool is entered again after a pause', async () => {
    const shop = desk();
    const done: string[] = [];
    let waiting = true;
    const tool = draftThenSend(done, () => waiting);
    await expect(shop.guard.adapter.call(mail('c1'), host(shop), tool)).rejects.toThrow('may I?');
    expect(await states(shop)).toEqual([['draft', 'succeeded']]);

    waiting = false;
    const answer = await shop.guard.adapter.call(mail('c1'), host(shop, 'second'), tool);
    expect(answer).toMatchObject({ ok: true, result: 'sent d1' });
    expect(done).toEqual(['draft', 'send']);
    expect(await states(shop)).toEqual([
      ['draft', 'succeeded'],
      ['send', 'succeeded'],
    ]);
    expect(shop.events.of('step_finished').map(({ step, outcome }) => [step, outcome])).toEqual([
      ['draft', 'succeeded'],
      ['draft', 'folded'],
      ['send', 'succeeded'],
    ]);
  });

  it('has a key of its own, which the code in it sees, and which stays the same', async () => {
    const shop = desk();
    const keys: unknown[] = [];
    let tries = 0;
    await shop.after(
      1_000,
      shop.run(() =>
        shop.guard.call(move('c1'), async (_, call) => {
          keys.push(call.idempotencyKey);
          await call.step('pay', (step) => {
            keys.push(step.idempotencyKey, currentCall()?.headers()['idempotency-key']);
            tries += 1;
            if (tries === 1) throw Object.assign(new Error('busy'), { status: 503 });
          });
        }),
      ),
    );
    expect(new Set(keys).size).toBe(2);
    expect([keys[1], keys[2], keys[4], keys[5]]).toEqual(Array(4).fill(keys[1]));
    const [row] = await steps(shop, 'run:default/i1');
    expect(row).toMatchObject({ key: keys[1], step: { name: 'pay', parent: keys[0] } });
  });

  it('gives back what it gave, undefined too', async () => {
    const shop = desk();
    let waiting = true;
    const seen: unknown[] = [];
    const tool = async () => {
      const call = currentCall();
      seen.push(await call?.step('a', () => [1, { b: 'c' }]));
      seen.push(await call?.step('b', () => undefined));
      if (waiting) throw new Pause();
    };
    await shop.guard.adapter.call(mail('c1'), host(shop), tool).catch(() => {});
    waiting = false;
    await shop.guard.adapter.call(mail('c1'), host(shop, 'second'), tool);
    expect(seen).toEqual([[1, { b: 'c' }], undefined, [1, { b: 'c' }], undefined]);
  });

  it('of a read just runs', async () => {
    const shop = desk();
    let ran = 0;
    const read = () =>
      shop.guard.call(
        { tool: 'get_order', args: { orderId: 'o1' }, callId: 'c1' },
        async (_, call) => {
          await call.step('look', () => {
            ran += 1;
          });
          return { orderId: 'o1', slot: 'am' };
        },
      );
    await shop.run(async () => {
      await read();
      await read();
    });
    expect(ran).toBe(2);
    expect(await steps(shop, 'run:default/i1')).toEqual([]);
  });
});

describe('a step that went wrong', () => {
  it('an irreversible one whose outcome is unknown never runs again, and ends the call so', async () => {
    const shop = desk();
    let sent = 0;
    let waiting = true;
    const tool = async () => {
      const call = currentCall();
      try {
        await call?.step('send', () => {
          sent += 1;
          throw coded('ECONNRESET');
        });
      } catch (error) {
        // A tool that asks what to do now.
        if (waiting) throw new Pause();
        throw error;
      }
    };
    await shop.guard.adapter.call(mail('c1'), host(shop), tool).catch(() => {});
    expect(await states(shop)).toEqual([['send', 'unknown']]);
    waiting = false;
    const answer = await shop.guard.adapter.call(mail('c1'), host(shop, 'second'), tool);
    expect(gist(answer)).toBe('outcome_unknown, unknown');
    expect(sent).toBe(1);
    expect((await shop.rows()).map(({ state }) => state)).toEqual(['unknown']);
  });

  it('a keyed one runs again under its own key, if it was sent with it', async () => {
    const shop = desk();
    const keys: unknown[] = [];
    const answer = await shop.after(
      1_000,
      shop.run(() =>
        shop.guard.call(move('c1'), async (_, call) => {
          await call.step('pay', (step) => {
            keys.push(step.headers()['idempotency-key']);
            if (keys.length === 1) throw coded('ECONNRESET');
          });
          return 'moved';
        }),
      ),
    );
    expect(answer).toMatchObject({ ok: true, attempts: 2 });
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
  });

  it('a keyed one that was lost stays unknown, though running it again did nothing', async () => {
    const shop = desk();
    let tries = 0;
    const answer = await shop.after(
      1_000,
      shop.run(() =>
        shop.guard.call(move('c1'), async (_, call) => {
          await call.step('pay', (step) => {
            step.headers();
            tries += 1;
            throw tries === 1
              ? coded('ECONNRESET')
              : Object.assign(new Error('sold out'), { status: 422 });
          });
        }),
      ),
    );
    expect([tries, gist(answer)]).toEqual([2, 'business_error, unknown']);
    expect(await states(shop, 'run:default/i1')).toEqual([['pay', 'unknown']]);
  });

  it('a keyed one that did not send its key does not', async () => {
    const shop = desk();
    let ran = 0;
    const answer = await shop.after(
      1_000,
      shop.run(() =>
        shop.guard.call(move('c1'), async (_, call) => {
          await call.step('pay', () => {
            ran += 1;
            throw coded('ECONNRESET');
          });
        }),
      ),
    );
    expect(gist(answer)).toBe('outcome_unknown, unknown');
    expect(ran).toBe(1);
  });

  it('the call has not failed without a trace when steps before it are done', async () => {
    const shop = desk();
    const refuses = () => Promise.reject(Object.assign(new Error('no money'), { status: 402 }));
    const answer = await shop.run(() =>
      shop.guard.call(mail('c1'), async (_, call) => {
        await call.step('reserve', () => 'r1');
        await call.step('pay', refuses);
      }),
    );
    const failure = failureOf(answer);
    expect([failure.kind, failure.effect]).toEqual(['business_error', 'unknown']);
    expect(failure.forModel).toContain('done and will not be done again: reserve.');
    expect(failure.forUser).toContain('Parts of it are done: reserve.');
    expect(await states(shop, 'run:default/i1')).toEqual([
      ['reserve', 'succeeded'],
      ['pay', 'failed'],
    ]);
    expect((await shop.rows()).map(({ state }) => state)).toEqual(['unknown']);
  });

  it('nor when a later try fails before it comes to them', async () => {
    const shop = desk();
    let tries = 0;
    const answer = await shop.after(
      1_000,
      shop.run(() =>
        shop.guard.call(mail('c1'), async (_, call) => {
          tries += 1;
          if (tries === 1) await call.step('reserve', () => 'r1');
          throw coded('ECONNREFUSED');
        }),
      ),
    );
    const failure = failureOf(answer);
    expect([failure.kind, failure.effect, tries]).toEqual(['transport_lost', 'unknown', 3]);
    expect(failure.stepsDone).toEqual(['reserve']);
    expect(failure.forModel).not.toContain('Nothing was sent');
    expect((await shop.rows()).map(({ state }) => state)).toEqual(['unknown']);
  });

  it('nor when the call is refused after a pause that came after them', async () => {
    const shop = desk();
    const call = { ...mail('c1') };
    const paused = shop.guard.adapter.call(call, host(shop), async (_, context) => {
      await context.step('reserve', () => 'r1');
      throw new Pause();
    });
    await expect(paused).rejects.toThrow(Pause);
    shop.guard.breakers.open('send_mail');
    const answer = await shop.guard.adapter.call(call, host(shop, 'second'), async () =>
      expect.unreachable(),
    );
    const failure = failureOf(answer);
    expect([failure.kind, failure.effect, failure.stepsDone]).toEqual([
      'tool_disabled',
      'unknown',
      ['reserve'],
    ]);
    expect(failure.forUser).toContain('reserve');
  });

  it('a first one that is proven not to have left leaves nothing behind', async () => {
    const shop = desk();
    let tries = 0;
    const answer = await shop.after(
      1_000,
      shop.run(() =>
        shop.guard.call(mail('c1'), async (_, call) =>
          call.step('send', () => {
            tries += 1;
            throw coded('ECONNREFUSED');
          }),
        ),
      ),
    );
    expect(gist(answer)).toBe('transport_lost, none');
    expect(tries).toBe(3);
    expect(await states(shop, 'run:default/i1')).toEqual([['send', 'failed']]);
  });

  it('one whose result has no stored form is done, and a tool that needs it is stopped', async () => {
    const shop = desk();
    let ran = 0;
    let waiting = true;
    const tool = async () => {
      await currentCall()?.step('open', () => {
        ran += 1;
        return { handle: () => {} };
      });
      if (waiting) throw new Pause();
    };
    await shop.guard.adapter.call(mail('c1'), host(shop), tool).catch(() => {});
    expect(shop.events.of('warning').map(({ code }) => code)).toEqual(['result_not_kept']);
    waiting = false;
    const answer = await shop.guard.adapter.call(mail('c1'), host(shop, 'second'), tool);
    expect(gist(answer)).toBe('result_not_kept, unknown');
    expect(ran).toBe(1);
  });

  it('one that states what it knows is believed', async () => {
    const shop = desk();
    const answer = await shop.run(() =>
      shop.guard.call(mail('c1'), async (_, call) =>
        call.step('send', () => {
          throw new StatedFailure('business_error', 'none', { message: 'blocked' });
        }),
      ),
    );
    expect(gist(answer)).toBe('business_error, none');
  });
});

describe('a crash inside a step', () => {
  it('leaves it unknown: an irreversible one is not run again', async () => {
    const shop = desk();
    let sent = 0;
    const tool = (work: () => unknown) => async () => {
      await currentCall()?.step('draft', () => 'd1');
      return currentCall()?.step('send', work);
    };
    void shop.guard.adapter.call(
      mail('c1'),
      host(shop),
      tool(() => {
        sent += 1;
        return never();
      }),
    );
    await shop.clock.advance(0);
    expect(await states(shop)).toEqual([
      ['draft', 'succeeded'],
      ['send', 'attempting'],
    ]);
    // The process is gone; its lease runs out.
    const second = shop.other();
    await shop.clock.advance(31_000);
    const answer = await second.adapter.call(
      mail('c1'),
      host({ ...shop, guard: second }, 'second'),
      tool(() => {
        sent += 1;
      }),
    );
    expect(gist(answer)).toBe('outcome_unknown, unknown');
    expect(sent).toBe(1);
  });

  it('of a keyed write is sent again under its key, and what was done before is not', async () => {
    const shop = desk();
    const keys: unknown[] = [];
    let drafts = 0;
    const tool = (end: () => unknown) => async () => {
      await currentCall()?.step('draft', () => {
        drafts += 1;
      });
      return currentCall()?.step('send', (step) => {
        keys.push(step.idempotencyKey);
        return end();
      });
    };
    const place = { messageId: 'm1', position: 0 };
    void shop.guard.adapter.call({ ...move('c1'), place }, host(shop), tool(never));
    await shop.clock.advance(0);
    const second = shop.other();
    const theirs = host({ ...shop, guard: second }, 'second');
    const answer = await shop.after(
      62_000,
      second.adapter.call(
        { ...move('c1'), place },
        theirs,
        tool(() => 'moved'),
      ),
    );
    expect(answer).toMatchObject({ ok: true, result: 'moved' });
    expect(drafts).toBe(1);
    expect(keys).toEqual([keys[0], keys[0]]);
  });
});

describe('who may run a step', () => {
  it('a try that timed out and the next one share the step under way', async () => {
    const shop = desk();
    const answered = gate<string>();
    let ran = 0;
    const answer = shop.after(
      1_200,
      shop.run(() =>
        shop.guard.call(move('c1'), async (_, call) => {
          const key = call.idempotencyKey;
          const paid = await call.step('pay', () => {
            ran += 1;
            return answered.promise;
          });
          return `${paid} ${key === undefined ? '' : 'with a key'}`;
        }),
      ),
    );
    await shop.clock.advance(1_150);
    answered.open('paid');
    expect(await answer).toMatchObject({ ok: true, result: 'paid with a key' });
    expect(ran).toBe(1);
  });

  it('a process that was taken over begins no more steps', async () => {
    const shop = desk();
    const asleep = gate<void>();
    const done: string[] = [];
    const place = { messageId: 'm1', position: 0 };
    const tool = (who: string, wakes: Promise<void>) => async () => {
      await currentCall()?.step('first', (step) => {
        done.push(`${who} first ${step.idempotencyKey === undefined}`);
      });
      await wakes;
      return currentCall()?.step('second', () => {
        done.push(`${who} second`);
      });
    };
    const ours = shop.guard.adapter.call(
      { ...move('c1'), place },
      // Renewals that do not come: the process sleeps.
      host({ ...shop, guard: shop.guard }, 'first'),
      tool('ours', asleep.promise),
    );
    await shop.clock.advance(0);
    Object.assign(shop.ledger, { renew: async () => false });
    const second = shop.other();
    await shop.clock.advance(40_000);
    const theirs = await second.adapter.call(
      { ...move('c1'), place },
      host({ ...shop, guard: second }, 'second'),
      tool('theirs', Promise.resolve()),
    );
    expect(theirs).toMatchObject({ ok: true });
    asleep.open();
    await ours;
    expect(done).toEqual(['ours first false', 'theirs second']);
  });

  it('nothing is begun that cannot be written down', async () => {
    const shop = desk();
    const { claim } = shop.ledger;
    Object.assign(shop.ledger, {
      claim: async (...given: Parameters<typeof claim>) => {
        if (given[0].step !== undefined) throw new LedgerError('full', 'the disk is full');
        return claim(...given);
      },
    });
    const answer = await shop.run(() =>
      shop.guard.call(mail('c1'), async (_, call) => call.step('send', () => expect.unreachable())),
    );
    expect(gist(answer)).toBe('ledger_unavailable, unknown');
  });

  it('a settlement that cannot be written is written later; the step is not done again', async () => {
    const shop = desk();
    const { move: write } = shop.ledger;
    let failures = 3;
    Object.assign(shop.ledger, {
      move: async (...given: Parameters<typeof write>) => {
        if (failures > 0) {
          failures -= 1;
          throw new LedgerError('full', 'the disk is full');
        }
        return write(...given);
      },
    });
    let ran = 0;
    const answer = await shop.after(
      900,
      shop.run(() =>
        shop.guard.call(mail('c1'), async (_, call) => {
          await call.step('send', () => {
            ran += 1;
          });
          return 'sent';
        }),
      ),
    );
    expect(answer).toMatchObject({ ok: true });
    expect(ran).toBe(1);
    expect(await states(shop, 'run:default/i1')).toEqual([['send', 'succeeded']]);
  });
});

describe('names of steps', () => {
  it.each([
    { name: '', reason: 'it is no name' },
    { name: 'x'.repeat(201), reason: 'it is no name' },
    { name: 7 as unknown, reason: 'it is no name' },
    { name: 'twice', reason: 'the call has a step of that name already' },
  ])('$name is refused before anything runs', async ({ name, reason }) => {
    const shop = desk();
    let seen: unknown;
    await shop.run(() =>
      shop.guard.call(mail('c1'), async (_, call) => {
        await call.step('twice', () => {});
        try {
          await call.step(name as string, () => expect.unreachable());
        } catch (error) {
          seen = error;
        }
      }),
    );
    if (!isSetupError(seen)) throw new Error(`not a SetupError: ${String(seen)}`);
    expect(seen.code).toBe('option_out_of_range');
    expect(seen.field).toContain('send_mail: step(');
    expect(seen.reason).toBe(reason);
    expect(seen.fix).toMatch(/^give /);
  });

  it('a step has steps of its own, under names of its own', async () => {
    const shop = desk();
    let waiting = true;
    const done: string[] = [];
    const tool = async () => {
      await currentCall()?.step('outer', async (outer) => {
        await outer.step('inner', () => {
          done.push('inner');
        });
        if (waiting) throw new Pause();
        await currentCall()?.step('last', () => {
          done.push('last');
        });
      });
      return currentCall()?.step('inner', () => 'another');
    };
    await shop.guard.adapter.call(mail('c1'), host(shop), tool).catch(() => {});
    expect(await states(shop)).toEqual([
      ['outer', 'suspended'],
      ['inner', 'succeeded'],
    ]);
    waiting = false;
    const answer = await shop.guard.adapter.call(mail('c1'), host(shop, 'second'), tool);
    expect(answer).toMatchObject({ ok: true, result: 'another' });
    expect(done).toEqual(['inner', 'last']);
  });
});
