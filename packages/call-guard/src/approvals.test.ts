import { isSetupError } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import type { CallHost } from './call/host.js';
import type { Question } from './call/question.js';
import type { CallRequest } from './call/request.js';
import { type Desk, desk, failureOf, gist, type OrderGuard } from './order-tools.fixture.js';

class Pause extends Error {}

const HOUR_MS = 3_600_000;

const wipe = (callId: string, disk = 'A', messageId = `m of ${callId}`): CallRequest => ({
  tool: 'wipe',
  args: { disk },
  callId,
  place: { messageId, position: 0 },
});

/** A framework that shows a question and pauses, and on the next entry has what was answered. */
function person() {
  const asked: Question[] = [];
  const said: unknown[] = [];
  return {
    asked,
    /** What is said to the next questions. */
    says(...answers: unknown[]) {
      said.push(...answers);
    },
    ask: async (question: Question) => {
      if (said.length === 0) {
        asked.push(question);
        throw new Pause(question.callId);
      }
      return said.shift();
    },
  };
}

interface Setting {
  readonly invocation?: string;
  readonly runId?: string;
  readonly threadId?: string;
  readonly ask?: CallHost['ask'];
  readonly guard?: OrderGuard;
}

function host(shop: Desk, setting: Setting = {}): CallHost {
  const { invocation = 'first', runId = 'r1', threadId = 't1', ask } = setting;
  const guard = setting.guard ?? shop.guard;
  const identity = { tenant: 'default', runId, intentId: `intent of ${runId}`, threadId };
  return {
    run: guard.adapter.openRun(identity, invocation, {
      ...identity,
      inputId: runId,
      inputDigest: runId,
      registryDigest: 'd',
    }).run,
    suspends: (thrown) => thrown instanceof Pause,
    ...(ask === undefined ? {} : { ask }),
  };
}

/** A tool that notes what it was called with. */
function tool() {
  const done: unknown[] = [];
  return {
    done,
    execute: async (args: unknown) => {
      done.push(args);
      return `wiped ${done.length}`;
    },
  };
}

const decisionsOf = async ({ ledger }: Desk) =>
  (await ledger.decisions({ tenant: 'default', threadId: 't1' })).map(({ kind }) => kind);

describe('a call that a person must agree to', () => {
  it('asks before anything is written down, and runs once it was approved', async () => {
    const shop = desk();
    const { asked, ask, says } = person();
    const { done, execute } = tool();
    const first = shop.guard.adapter.call(wipe('c1'), host(shop, { ask }), execute);
    await expect(first).rejects.toThrow(Pause);
    expect(asked).toEqual([
      {
        callId: 'c1',
        kind: 'confirmation_required',
        tool: 'wipe',
        args: { disk: 'A' },
        why: 'irreversible',
        choices: ['approve', 'reject'],
      },
    ]);
    expect(await shop.rows('intent of r1')).toEqual([]);
    expect(shop.events.of('call_finished').map(({ outcome }) => outcome)).toEqual(['suspended']);

    says({ c1: { decision: 'approve', note: 'go on', by: 'ann' } });
    const again = host(shop, { ask, invocation: 'second' });
    const answer = await shop.guard.adapter.call(wipe('c1'), again, execute);
    expect(answer).toMatchObject({ ok: true, result: 'wiped 1', folded: false });
    expect(done).toEqual([{ disk: 'A' }]);
    const [decision] = await shop.ledger.decisions({ tenant: 'default', threadId: 't1' });
    expect(decision).toMatchObject({
      kind: 'approved',
      by: 'ann',
      note: 'go on',
      callId: 'c1',
      messageId: 'm of c1',
      expiresAt: (decision?.at ?? 0) + 24 * HOUR_MS,
    });
    expect(shop.guard.counts()).toMatchObject({ question_asked: 1, question_answered: 1 });
    expect(shop.events.of('question_asked')).toMatchObject([{ callId: 'c1', why: 'irreversible' }]);
  });

  it('the approval is written down before the effect, so that a crash between them asks nobody twice', async () => {
    const shop = desk();
    const { asked, ask, says } = person();
    const { done, execute } = tool();
    says({ c1: { decision: 'approve' } });
    const { claim } = shop.ledger;
    let dead = true;
    Object.assign(shop.ledger, {
      claim: (...given: Parameters<typeof claim>) =>
        dead ? new Promise(() => {}) : claim(...given),
    });
    void shop.guard.adapter.call(wipe('c1'), host(shop, { ask }), execute);
    await shop.clock.advance(0);
    expect(await decisionsOf(shop)).toEqual(['approved']);
    dead = false;
    const guard = shop.other();
    const theirs = host(shop, { ask, guard, invocation: 'second' });
    const answer = await guard.adapter.call(wipe('c1'), theirs, execute);
    expect(gist(answer)).toBe('ok');
    expect([done.length, asked.length]).toEqual([1, 0]);
  });

  it('approved twice runs once: two resumes at once, and one after the other', async () => {
    const shop = desk();
    const { execute, done } = tool();
    const resumes = ['second', 'third'].map((invocation) => {
      const { ask, says } = person();
      says({ c1: { decision: 'approve' } });
      return shop.guard.adapter.call(wipe('c1'), host(shop, { ask, invocation }), execute);
    });
    expect((await Promise.all(resumes)).map(gist)).toEqual(['ok', 'ok']);
    const { ask, says } = person();
    says({ c1: { decision: 'approve' } });
    const late = host(shop, { ask, invocation: 'fourth' });
    expect(gist(await shop.guard.adapter.call(wipe('c1'), late, execute))).toBe('ok');
    expect(done).toHaveLength(1);
  });

  it('DU-17: approved with arguments A, called with B: B is asked about, and not done', async () => {
    const shop = desk();
    const { asked, ask, says } = person();
    const { done, execute } = tool();
    says({ c1: { decision: 'approve' } });
    const here = host(shop, { ask });
    await shop.guard.adapter.call(wipe('c1'), here, async () => {
      throw Object.assign(new Error('refused'), { status: 422 });
    });
    // The same place, edited; and another call.
    for (const callId of ['c1', 'c2']) {
      const b = shop.guard.adapter.call(wipe(callId, 'B', 'm of c1'), here, execute);
      await expect(b).rejects.toThrow(Pause);
    }
    expect(asked.map(({ args }) => args)).toEqual([{ disk: 'B' }, { disk: 'B' }]);
    expect(done).toEqual([]);
  });

  it('an approval that is older than it holds is asked for again', async () => {
    const shop = desk();
    const { asked, ask, says } = person();
    const { execute } = tool();
    says({ c1: { decision: 'approve' } });
    const fails = async () => {
      throw Object.assign(new Error('refused'), { status: 422 });
    };
    await shop.guard.adapter.call(wipe('c1'), host(shop, { ask }), fails);
    await shop.clock.advance(24 * HOUR_MS - 1);
    const still = host(shop, { ask, invocation: 'second' });
    expect(gist(await shop.guard.adapter.call(wipe('c1'), still, fails))).toBe(
      'business_error, none',
    );
    await shop.clock.advance(1);
    const over = host(shop, { ask, invocation: 'third' });
    await expect(shop.guard.adapter.call(wipe('c1'), over, execute)).rejects.toThrow(Pause);
    expect(asked).toHaveLength(1);
  });

  it('a rejected call never runs: not when entered again, not elsewhere, whatever is said later', async () => {
    const shop = desk();
    const { ask, says } = person();
    const { done, execute } = tool();
    says({ c1: { decision: 'reject', note: 'not that disk' } });
    const answer = await shop.guard.adapter.call(wipe('c1'), host(shop, { ask }), execute);
    const failure = failureOf(answer);
    expect(failure).toMatchObject({
      kind: 'rejected_by_user',
      effect: 'none',
      details: { note: 'not that disk' },
      next: { by: 'nobody', advice: 'do_not_retry' },
    });
    expect(failure.forModel).toContain('not that disk');

    const guard = shop.other();
    for (const args of ['A', 'B']) {
      says({ c1: { decision: 'approve' } });
      const theirs = host(shop, { ask, guard, invocation: args });
      const again = await guard.adapter.call(wipe('c1', args), theirs, execute);
      expect(gist(again)).toBe('rejected_by_user, none');
    }
    // The model asks again, in the same run.
    const other = host(shop, { ask, guard, invocation: 'B' });
    expect(gist(await guard.adapter.call(wipe('c2'), other, execute))).toBe(
      'rejected_by_user, none',
    );
    expect(done).toEqual([]);
    expect(await shop.rows('intent of r1')).toEqual([]);
  });

  it('another request of the user may be asked about again', async () => {
    const shop = desk();
    const { asked, ask, says } = person();
    const { execute } = tool();
    says({ c1: { decision: 'reject' } });
    await shop.guard.adapter.call(wipe('c1'), host(shop, { ask }), execute);
    const next = host(shop, { ask, runId: 'r2' });
    await expect(shop.guard.adapter.call(wipe('c2'), next, execute)).rejects.toThrow(Pause);
    expect(asked.map(({ callId }) => callId)).toEqual(['c2']);
  });

  it('a person may change the arguments: they are checked, run, and told', async () => {
    const shop = desk();
    const { asked, ask, says } = person();
    const { done, execute } = tool();
    says(
      { c1: { decision: 'approve', input: { disk: 7 } } },
      { c1: { decision: 'approve', input: { disk: 'B', passes: 2 } } },
    );
    const here = host(shop, { ask });
    const answer = await shop.guard.adapter.call(wipe('c1'), here, execute);
    expect(asked).toEqual([]);
    expect(done).toEqual([{ disk: 'B', passes: 2 }]);
    expect(answer).toMatchObject({
      ok: true,
      edit: {
        changes: [
          { argument: 'disk', from: 'A', to: 'B' },
          { argument: 'passes', to: 2 },
        ],
      },
    });
    // Entered again with what the conversation holds: what the model asked for.
    const guard = shop.other();
    const later = host(shop, { ask, guard, invocation: 'second' });
    const replay = await guard.adapter.call(wipe('c1'), later, execute);
    expect(replay).toMatchObject({ ok: true, folded: 'replayed', result: 'wiped 1' });
    expect(replay).toMatchObject({ edit: { changes: [] } });
    expect(done).toHaveLength(1);
  });

  it('changed arguments that ran in vain run again as they were changed', async () => {
    const shop = desk();
    const { asked, ask, says } = person();
    const { done, execute } = tool();
    says({ c1: { decision: 'approve', input: { disk: 'B' } } });
    const first = await shop.guard.adapter.call(wipe('c1'), host(shop, { ask }), async () => {
      throw Object.assign(new Error('busy'), { status: 422 });
    });
    expect(failureOf(first).forModel).toContain('disk: "B" instead of "A"');
    const again = host(shop, { ask, invocation: 'second' });
    const answer = await shop.guard.adapter.call(wipe('c1'), again, execute);
    expect(answer).toMatchObject({
      ok: true,
      edit: { changes: [{ argument: 'disk', from: 'A', to: 'B' }] },
    });
    expect(done).toEqual([{ disk: 'B' }]);
    expect(asked).toEqual([]);
  });

  it('LG-20: the original call, asked for again in the run, is stopped', async () => {
    const shop = desk();
    const { asked, ask, says } = person();
    const { done, execute } = tool();
    says({ c1: { decision: 'approve', input: { disk: 'B' }, note: 'B is the old one' } });
    const here = host(shop, { ask });
    await shop.guard.adapter.call(wipe('c1'), here, execute);
    const again = await shop.guard.adapter.call(wipe('c2'), here, execute);
    const failure = failureOf(again);
    expect(failure).toMatchObject({ kind: 'rejected_by_user', effect: 'none' });
    const [row] = await shop.rows('intent of r1');
    expect(failure.details).toEqual({ editedTo: row?.argsDigest, note: 'B is the old one' });
    expect(failure.forModel).toContain('the changed one ran in its place');
    // Another request may ask for it.
    const next = shop.guard.adapter.call(wipe('c3'), host(shop, { ask, runId: 'r2' }), execute);
    await expect(next).rejects.toThrow(Pause);
    expect(asked.map(({ callId }) => callId)).toEqual(['c3']);
    expect(done).toEqual([{ disk: 'B' }]);
  });

  it('what is known is answered without asking', async () => {
    const shop = desk();
    const { asked, ask, says } = person();
    const { done, execute } = tool();
    says({ c1: { decision: 'approve' } });
    const here = host(shop, { ask });
    await shop.guard.adapter.call(wipe('c1'), here, execute);
    const equal = await shop.guard.adapter.call(wipe('c2'), here, execute);
    expect(equal).toMatchObject({ ok: true, folded: 'folded' });
    expect([done.length, asked.length]).toEqual([1, 0]);
  });

  it('nothing runs that cannot be decided durably', async () => {
    const { LedgerError } = await import('@holdfast/effect-ledger');
    const shop = desk();
    const { ask, says } = person();
    says({ c1: { decision: 'approve' } });
    Object.assign(shop.ledger, {
      decide: () => Promise.reject(new LedgerError('full', 'the disk is full')),
    });
    const answer = await shop.guard.adapter.call(wipe('c1'), host(shop, { ask }), async () =>
      expect.unreachable(),
    );
    expect(gist(answer)).toBe('ledger_unavailable, none');
  });
});

describe('answers that cannot be', () => {
  it.each([
    { given: 'yes', field: 'resume', reason: "'yes' names no call" },
    { given: {}, field: 'resume.c1', reason: 'it is not answered' },
    { given: { c9: { decision: 'approve' } }, field: 'resume.c9', reason: 'no question is open' },
    { given: { c1: 'approve' }, field: 'resume.c1', reason: "'approve' is no answer" },
    {
      given: { c1: { decision: 'maybe' } },
      field: 'resume.c1.decision',
      reason: "'maybe' is none",
    },
    {
      given: { c1: { decision: 'reuse' } },
      field: 'resume.c1.decision',
      reason: "'reuse' is none",
    },
    {
      given: { c1: { decision: 'approve', args: {} } },
      field: 'resume.c1.args',
      reason: 'there is no such field',
    },
    {
      given: { c1: { decision: 'approve', note: 7 } },
      field: 'resume.c1.note',
      reason: 'number is no text',
    },
    {
      given: { c1: { decision: 'reject', input: { disk: 'B' } } },
      field: 'resume.c1.input',
      reason: 'it does not go with reject',
    },
    {
      given: { c1: { decision: 'approve', input: { disk: 'B', passes: 'no' } } },
      field: 'resume.c1.input.passes',
      reason: 'expected number',
    },
    {
      given: { c1: { decision: 'approve', input: { disk: 'B', drive: 'C' } } },
      field: 'resume.c1.input.drive',
      reason: '',
    },
  ])('$given is asked about again, and nothing is done', async ({ given, field, reason }) => {
    const shop = desk();
    const { asked, ask, says } = person();
    says(given);
    const call = shop.guard.adapter.call(wipe('c1'), host(shop, { ask }), async () =>
      expect.unreachable(),
    );
    await expect(call).rejects.toThrow(Pause);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.problem).toContain(`${field}: `);
    expect(asked[0]?.problem).toContain(reason);
    expect(asked[0]?.problem).toContain('Fix: ');
    expect(await decisionsOf(shop)).toEqual([]);
  });
});

describe('two equal calls of one message, where a person says what that means', () => {
  const pizza = { tool: 'order_pizza', args: { kind: 'funghi' } } as const;
  const siblings = [pizza, pizza, pizza];
  const order = (position: number): CallRequest => ({
    ...pizza,
    callId: `c${position}`,
    place: { messageId: 'm1', position },
    siblings,
  });

  it('the second one asks whether it is meant again, and is an effect of its own if it is', async () => {
    const shop = desk();
    const { asked, ask, says } = person();
    const { done, execute } = tool();
    const here = host(shop, { ask });
    await shop.guard.adapter.call(order(0), here, execute);
    await expect(shop.guard.adapter.call(order(1), here, execute)).rejects.toThrow(Pause);
    expect(asked).toMatchObject([
      { callId: 'c1', why: 'repeat', choices: ['again', 'reuse', 'reject'] },
    ]);
    says({ c1: { decision: 'again' } });
    const second = await shop.guard.adapter.call(order(1), here, execute);
    expect(second).toMatchObject({ ok: true, result: 'wiped 2', folded: false });
    // Entered again: its own result, without a question.
    const guard = shop.other();
    const later = host(shop, { ask, guard, invocation: 'second' });
    const replay = await guard.adapter.call(order(1), later, execute);
    expect(replay).toMatchObject({ ok: true, result: 'wiped 2', folded: 'replayed' });
    expect(done).toHaveLength(2);
    expect((await shop.rows('intent of r1')).map(({ ordinal }) => ordinal)).toEqual([0, 1]);
    // The third one is another question.
    await expect(shop.guard.adapter.call(order(2), here, execute)).rejects.toThrow(Pause);
    expect(asked.map(({ callId }) => callId)).toEqual(['c1', 'c2']);
  });

  it('it is one with the first if it is not, and nothing if it is refused', async () => {
    const shop = desk();
    const { ask, says } = person();
    const { done, execute } = tool();
    const here = host(shop, { ask });
    await shop.guard.adapter.call(order(0), here, execute);
    says({ c1: { decision: 'reuse' } });
    expect(await shop.guard.adapter.call(order(1), here, execute)).toMatchObject({
      ok: true,
      folded: 'folded',
      result: 'wiped 1',
    });
    says({ c2: { decision: 'reject' } });
    expect(gist(await shop.guard.adapter.call(order(2), here, execute))).toBe(
      'rejected_by_user, none',
    );
    expect(done).toHaveLength(1);
    // What the first one did is still its answer.
    expect(await shop.guard.adapter.call(order(0), here, execute)).toMatchObject({
      ok: true,
      folded: 'replayed',
    });
  });

  it('where nobody can be asked the two are one', async () => {
    const shop = desk();
    const { done, execute } = tool();
    const here = host(shop);
    await shop.guard.adapter.call(order(0), here, execute);
    const second = await shop.guard.adapter.call(order(1), here, execute);
    expect(second).toMatchObject({ ok: true, folded: 'folded' });
    expect(done).toHaveLength(1);
  });
});

describe('guard.approve, where no question can be shown', () => {
  const confirm = (shop: Desk, callId = 'c1', setting: Setting = {}) =>
    shop.guard.adapter.call(wipe(callId), host(shop, setting), async () => 'wiped');

  it('lets the next equal call run, once', async () => {
    const shop = desk();
    const failure = failureOf(await confirm(shop));
    expect(failure).toMatchObject({
      kind: 'confirmation_required',
      effect: 'none',
      next: { by: 'user', advice: 'confirm' },
      details: { why: 'irreversible' },
    });
    const decision = await shop.guard.approve({
      threadId: 't1',
      callId: 'c1',
      decision: 'approve',
      by: 'ann',
    });
    expect(decision).toMatchObject({ kind: 'approved', by: 'ann', runId: 'r1', threadId: 't1' });
    expect(shop.events.of('question_answered')).toMatchObject([
      { decision: 'approve', tool: 'wipe' },
    ]);
    // A new request, in which the model asks again.
    expect(gist(await confirm(shop, 'c2', { runId: 'r2' }))).toBe('ok');
    expect(gist(await confirm(shop, 'c3', { runId: 'r3' }))).toBe('confirmation_required, none');
    expect(gist(await confirm(shop, 'c1', { invocation: 'again' }))).toBe(
      'confirmation_required, none',
    );
  });

  it('lets nothing run with other arguments, in another thread, or too late', async () => {
    const shop = desk();
    await confirm(shop);
    await shop.guard.approve({ runId: 'r1', callId: 'c1', decision: 'approve', by: 'ann' });
    const b = await shop.guard.adapter.call(wipe('c2', 'B'), host(shop), async () => 'wiped');
    expect(gist(b)).toBe('confirmation_required, none');
    expect(gist(await confirm(shop, 'c2', { runId: 'r2', threadId: 't2' }))).toBe(
      'confirmation_required, none',
    );
    await shop.clock.advance(24 * HOUR_MS);
    expect(gist(await confirm(shop, 'c2'))).toBe('confirmation_required, none');
  });

  it('in another process, by the failure that it was given', async () => {
    const shop = desk();
    const failure = failureOf(await confirm(shop));
    const guard = shop.other();
    await guard.approve({
      runId: failure.runId,
      callId: 'c1',
      decision: 'approve',
      by: 'ann',
      failure: JSON.parse(JSON.stringify(failure)),
    });
    expect(gist(await confirm(shop, 'c2'))).toBe('ok');
  });

  it('a rejection is final', async () => {
    const shop = desk();
    await confirm(shop);
    const of = { runId: 'r1', callId: 'c1', by: 'ann' } as const;
    await shop.guard.approve({ ...of, decision: 'reject', note: 'no' });
    expect(await shop.guard.approve({ ...of, decision: 'approve' })).toMatchObject({
      kind: 'rejected',
      note: 'no',
    });
    expect(gist(await confirm(shop, 'c1', { invocation: 'again' }))).toBe('rejected_by_user, none');
    expect(gist(await confirm(shop, 'c2'))).toBe('rejected_by_user, none');
  });

  it('settles a conflict of arguments: once more, or as it was', async () => {
    const shop = desk();
    const mail = (to: string): CallRequest => ({
      tool: 'send_mail',
      args: { to, subject: 's' },
      callId: 'c1',
      place: { messageId: 'm1', position: 0 },
    });
    const { done, execute } = tool();
    const send = (to: string) => shop.guard.adapter.call(mail(to), host(shop), execute);
    await send('A');
    const failure = failureOf(await send('B'));
    await shop.clock.advance(1);
    expect(failure).toMatchObject({ kind: 'intent_conflict', details: { argsDigest: /./ } });
    const of = { runId: 'r1', callId: 'c1', by: 'ann' } as const;
    await shop.guard.approve({ ...of, decision: 'reuse' });
    expect(await send('B')).toMatchObject({ ok: true, folded: 'folded', result: 'wiped 1' });
    await shop.guard.approve({ ...of, decision: 'again' });
    expect(await send('B')).toMatchObject({ ok: true, folded: false, result: 'wiped 2' });
    expect(await send('B')).toMatchObject({ ok: true, folded: 'replayed', result: 'wiped 2' });
    expect(done).toHaveLength(2);
  });

  it("settles a conflict under the caller's own key with a new generation", async () => {
    const shop = desk();
    const { done, execute } = tool();
    const send = (to: string, callId: string) =>
      shop.guard.adapter.call(
        { tool: 'send_mail', args: { to, subject: 's' }, callId, callKey: 'k' },
        host(shop),
        execute,
      );
    await send('A', 'c1');
    expect(gist(await send('B', 'c2'))).toBe('intent_conflict, none');
    await shop.clock.advance(1);
    await shop.guard.approve({ runId: 'r1', callId: 'c2', decision: 'again', by: 'ann' });
    expect(gist(await send('B', 'c3'))).toBe('ok');
    expect((await shop.rows('intent of r1')).map(({ generation }) => generation)).toEqual([0, 1]);
    expect(done).toHaveLength(2);
  });

  it.each([
    { change: { callId: 'c9' }, field: 'callId', reason: 'no call c9 waits for a person' },
    { change: { by: '' }, field: 'by', reason: 'nobody is named' },
    { change: { runId: undefined }, field: 'runId', reason: 'neither runId nor threadId' },
    { change: { decision: 'reuse' }, field: 'decision', reason: "'reuse' does not settle" },
    { change: { runId: 'r9' }, field: 'callId', reason: 'no call c1 waits' },
  ])('refuses $change, naming $field', async ({ change, field, reason }) => {
    const shop = desk();
    await confirm(shop);
    const approval = { runId: 'r1', callId: 'c1', decision: 'approve', by: 'ann', ...change };
    const error: unknown = await shop.guard.approve(approval as never).catch((e: unknown) => e);
    if (!isSetupError(error, 'answer_invalid')) throw new Error(`not refused: ${String(error)}`);
    expect(error.field).toBe(field);
    expect(error.reason).toContain(reason);
    expect(error.fix).not.toBe('');
    expect(await decisionsOf(shop)).toEqual([]);
  });

  it('refuses a failure that is nobody’s to settle', async () => {
    const shop = desk();
    const failure = failureOf(
      await shop.guard.adapter.call(
        { tool: 'send_mail', args: {}, callId: 'c1' },
        host(shop),
        async () => expect.unreachable(),
      ),
    );
    const error: unknown = await shop.guard
      .approve({ callId: 'c1', decision: 'approve', by: 'ann', failure })
      .catch((e: unknown) => e);
    expect(isSetupError(error, 'answer_invalid') && error.field).toBe('failure');
  });
});

describe('asking before a call is made', () => {
  it('tells what the gate would ask, and does nothing', async () => {
    const shop = desk();
    const { questionOf } = shop.guard.adapter;
    const here = host(shop);
    expect(await questionOf(wipe('c1'), here)).toMatchObject({ callId: 'c1', why: 'irreversible' });
    const mail = { tool: 'send_mail', args: { to: 'A', subject: 's' }, callId: 'c2' };
    expect(await questionOf(mail, here)).toBeUndefined();
    expect(await questionOf({ ...wipe('c3'), args: {} }, here)).toBeUndefined();
    expect(shop.guard.counts()).toMatchObject({ question_asked: 0, call_started: 0 });
    expect(await decisionsOf(shop)).toEqual([]);
    // Decided already.
    const { ask, says } = person();
    says({ c1: { decision: 'reject' } });
    await shop.guard.adapter.call(wipe('c1'), host(shop, { ask }), async () => 'wiped');
    expect(await questionOf(wipe('c1'), here)).toBeUndefined();
  });
});

it('an approval that is none is refused with what to give', async () => {
  const error: unknown = await desk()
    .guard.approve(null as never)
    .catch((caught: unknown) => caught);
  expect(isSetupError(error, 'answer_invalid') && error.fix).toContain('callId');
});
