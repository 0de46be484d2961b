import { type Effect, effectKey, ownerIdentity } from '@holdfast/effect-ledger';
import { describe, expect, it } from 'vitest';
import type { EffectSeen, Failure, FailureKind } from './failure.js';
import { failed } from './next-step.js';
import { buildReport, type ReportFacts } from './report.js';

const key = (name: string) =>
  effectKey({
    tenant: 't',
    intentId: 'i',
    scope: 'intent',
    tool: name,
    identity: '{}',
    keyGiven: false,
    ordinal: 0,
    generation: 0,
  });

function effect(tool: string, state: 'succeeded' | 'failed' | 'unknown' | 'attempting'): Effect {
  const row = {
    tenant: 't',
    runId: 'r',
    intentId: 'i',
    scope: 'intent',
    tool,
    toolVersion: '1.0.0',
    class: 'irreversible',
    keyGiven: false,
    argsDigest: 'd',
    ordinal: 0,
    instance: tool,
    place: {},
    key: key(tool),
    generation: 0,
    wish: tool,
    version: 1,
    startSeq: 1,
    attempts: [],
  } as const;
  switch (state) {
    case 'succeeded':
      return {
        ...row,
        state,
        result: { kept: false, reason: 'x' },
        undo: { undo: 'none' },
        settlement: { settled: 'open' },
      };
    case 'failed':
      return { ...row, state, failureKind: 'x' };
    case 'unknown':
      return { ...row, state, since: 0, reason: 'x' };
    case 'attempting':
      return { ...row, state, owner: ownerIdentity('o') };
  }
}

function failure(
  tool: string,
  kind: FailureKind,
  effectSeen: EffectSeen,
  withKey: boolean,
): Failure {
  const details = { by: 'caller' } as const;
  return {
    ...failed(kind, effectSeen, details as never),
    tool,
    callId: 'c',
    runId: 'r',
    intentId: 'i',
    attempts: 1,
    forModel: 'm',
    forUser: `${tool} ${effectSeen}.`,
    ...(withKey ? { idempotencyKey: key(tool) } : {}),
  } as Failure;
}

function report(facts: Partial<ReportFacts>) {
  return buildReport({
    runId: 'r',
    intentId: 'i',
    effects: [],
    ends: [],
    interrupted: false,
    threw: false,
    ...facts,
  });
}
const end = (tool: string, failed?: Failure) => ({
  tool,
  callId: 'c',
  ...(failed === undefined ? {} : { failure: failed }),
});
const gist = (facts: Partial<ReportFacts>) => {
  const { status, done, notDone } = report(facts);
  return [status, done.map(({ tool }) => tool).join(), notDone.map(({ tool }) => tool).join()];
};

const stepOf = (tool: string, name: string, state: Parameters<typeof effect>[1]): Effect => ({
  ...effect(tool, state),
  key: key(`${tool}/${name}`),
  step: { parent: key(tool), name },
});

describe("steps in a run's report", () => {
  const report = (...effects: Effect[]) =>
    buildReport({ runId: 'r', intentId: 'i', effects, ends: [], interrupted: false, threw: false });

  it('are not told beside the call that they are parts of', () => {
    const { done, status } = report(effect('mail', 'succeeded'), stepOf('mail', 'a', 'succeeded'));
    expect(done).toEqual([{ tool: 'mail', key: key('mail') }]);
    expect(status).toBe('complete');
    const { notDone } = report(effect('mail', 'unknown'), stepOf('mail', 'a', 'unknown'));
    expect(notDone).toMatchObject([{ tool: 'mail', idempotencyKey: key('mail') }]);
    expect(notDone).toHaveLength(1);
  });

  it('are told where the call itself is not done, or hides that one is uncertain', () => {
    const partly = report(effect('mail', 'unknown'), stepOf('mail', 'draft', 'succeeded'));
    expect(partly.done).toEqual([{ tool: 'mail', key: key('mail/draft'), step: 'draft' }]);
    expect(partly.text.forUser).toContain('Done: mail (draft).');
    const hidden = report(effect('mail', 'succeeded'), stepOf('mail', 'send', 'unknown'));
    expect(hidden.status).toBe('partial');
    expect(hidden.notDone).toMatchObject([{ kind: 'unsettled', tool: 'mail', step: 'send' }]);
    expect(hidden.text.forUser).toContain('“mail” (send)');
  });
});

describe('a report in Japanese', () => {
  it('says all of it in Japanese', () => {
    const { text, notDone } = report({
      locale: 'ja',
      effects: [effect('mail', 'succeeded'), effect('book', 'unknown')],
    });
    expect(notDone[0]?.forUser).toContain('「book」');
    expect(text.forUser).toBe(
      '一部の操作が完了していません。完了した操作：「mail」。これらが再度実行されることはありません。「book」が実行されたかどうかは、まだ確認できていません。再度実行されることはありません。',
    );
  });
});

describe('a report', () => {
  it('of nothing is complete', () => {
    expect(report({})).toEqual({
      runId: 'r',
      intentId: 'i',
      status: 'complete',
      done: [],
      notDone: [],
      recoverable: { safeToRepeat: false, wouldRun: [] },
      text: { forUser: 'Everything was answered.' },
    });
  });

  it('of what was done is complete and says so', () => {
    const { status, text } = report({
      effects: [effect('mail', 'succeeded')],
      ends: [end('mail')],
    });
    expect(status).toBe('complete');
    expect(text.forUser).toBe('Done: mail. What is done will not be repeated.');
  });

  it('of some done and some not is partial, and says what would run again', () => {
    const { status, recoverable, text } = report({
      effects: [effect('mail', 'succeeded'), effect('book', 'failed')],
      ends: [end('mail'), end('book', failure('book', 'business_error', 'none', true))],
    });
    expect(status).toBe('partial');
    expect(recoverable).toEqual({ safeToRepeat: true, wouldRun: ['book'] });
    expect(text.forUser).toBe(
      'Not everything is done. Done: mail. What is done will not be repeated. book none.',
    );
  });

  it('with nothing done and nothing uncertain has failed', () => {
    const facts = { ends: [end('book', failure('book', 'business_error', 'none', false))] };
    expect(gist(facts)).toEqual(['failed', '', 'book']);
    expect(gist({ threw: true })).toEqual(['failed', '', '']);
    expect(report({ threw: true }).text.forUser).toBe('Nothing was changed.');
  });

  it('with an uncertain effect is never complete, and never says that nothing was changed', () => {
    expect(gist({ effects: [effect('mail', 'unknown')] })).toEqual(['partial', '', 'mail']);
    expect(gist({ effects: [effect('mail', 'attempting')] })).toEqual(['partial', '', 'mail']);
    // Uncertain by the answer alone: another process works on it.
    const facts = { ends: [end('mail', failure('mail', 'in_flight', 'unknown', false))] };
    expect(gist(facts)).toEqual(['partial', '', 'mail']);
    expect(report(facts).text.forUser).not.toContain('Nothing');
  });

  it('names an uncertain effect once', () => {
    expect(
      gist({
        effects: [effect('mail', 'unknown')],
        ends: [
          end('mail', failure('mail', 'timed_out', 'unknown', true)),
          end('mail', failure('mail', 'outcome_unknown', 'unknown', true)),
        ],
      }),
    ).toEqual(['partial', '', 'mail']);
  });

  it('leaves out failures that were made good', () => {
    const refused = failure('book', 'invalid_arguments', 'none', false);
    expect(gist({ ends: [end('book', refused), end('book')] })).toEqual(['complete', '', '']);
    const lost = failure('mail', 'timed_out', 'unknown', true);
    expect(gist({ effects: [effect('mail', 'succeeded')], ends: [end('mail', lost)] })).toEqual([
      'complete',
      'mail',
      '',
    ]);
    const kept = failure('mail', 'result_not_kept', 'done', true);
    expect(gist({ effects: [effect('mail', 'succeeded')], ends: [end('mail', kept)] })).toEqual([
      'complete',
      'mail',
      '',
    ]);
  });

  it('does not let a later success hide an effect that is uncertain', () => {
    const lost = failure('mail', 'in_flight', 'unknown', false);
    expect(gist({ ends: [end('mail', lost), end('mail')] })).toEqual(['partial', '', 'mail']);
    const other = failure('mail', 'cancelled', 'unknown', false);
    expect(gist({ ends: [end('mail', lost), end('mail', other)] })).toEqual([
      'partial',
      '',
      'mail,mail',
    ]);
  });

  it('of an interrupted run waits for an answer', () => {
    const { status, text } = report({ interrupted: true, effects: [effect('mail', 'succeeded')] });
    expect(status).toBe('interrupted');
    expect(text.forUser).toBe(
      'Waiting for an answer. Done: mail. What is done will not be repeated.',
    );
  });

  it('of a resumed run that lost its input is not complete, and carries its marker', () => {
    const resume = { skipped: [], unknown: [], unrecorded: [], needs: 'input' as const };
    expect(report({ resume })).toMatchObject({ status: 'failed', resume });
  });
});
