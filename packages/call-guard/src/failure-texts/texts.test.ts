import { effectKey } from '@holdfast/effect-ledger';
import { describe, expect, it } from 'vitest';
import type { EffectSeen, FailureDetails, FailureFacts, FailureKind } from '../failure.js';
import { failed, leftToPerson } from '../next-step.js';
import { forModel } from './model.js';
import { forUser, forUserOfRun, forUserUnsettled } from './user.js';

const key = effectKey({
  tenant: 't',
  intentId: 'i',
  scope: 'intent',
  tool: 'x',
  identity: '{}',
  keyGiven: false,
  ordinal: 0,
  generation: 0,
});

const samples: { readonly [K in FailureKind]: FailureDetails[K] } = {
  unknown_tool: { nearest: ['send_mail'] },
  invalid_arguments: { problems: [{ path: ['to'], message: 'expected string' }] },
  contract_changed: { change: 'changed', fields: ['description'] },
  in_flight: {},
  outcome_unknown: { key, since: 0, checking: true },
  intent_conflict: { key, argsDigest: 'd' },
  fork_conflict: { key, argsDigest: 'd', checkpointId: 'k1' },
  confirmation_required: { why: 'irreversible', argsDigest: 'd' },
  rejected_by_user: { note: 'not today' },
  malformed_call: { echo: '{"to":' },
  output_truncated: { finishReason: 'length' },
  timed_out: { limit: 'tool', afterMs: 1_000, stillRunning: true },
  cancelled: { by: 'caller' },
  transport_lost: { code: 'ECONNRESET', sent: true },
  dependency_failed: { status: 500, message: 'it broke' },
  business_error: { status: 422, message: 'sold out' },
  auth_failed: { why: 'credentials', status: 401 },
  rate_limited: { retryAfterMs: 2_000, source: 'retry-after' },
  overloaded: { source: '529' },
  deadline_exceeded: { neededMs: 3_000, leftMs: 500 },
  loop_detected: { repeats: 3 },
  tool_disabled: { by: 'run' },
  circuit_open: { since: 0, retryAfterMs: 30_000, scope: 'tool' },
  not_durable: { waitedMs: 2_000 },
  ledger_unavailable: { reason: 'the disk is full' },
  result_invalid: { problems: [] },
  result_not_kept: { key, reason: 'too large' },
};

const all: FailureFacts[] = (Object.keys(samples) as FailureKind[]).flatMap((kind) =>
  (['none', 'unknown', 'done'] as EffectSeen[]).map((effect) =>
    failed(kind, effect, samples[kind]),
  ),
);

describe('what the model reads', () => {
  it.each(all)('$kind, $effect: invites nothing that nobody may do', (failure) => {
    const text = forModel('send_mail', failure);
    const next = text.split('\n').at(-1) ?? '';
    expect(next).toMatch(/^next: /);
    if (failure.next.by === 'nobody' || failure.effect === 'unknown') {
      expect(next).toMatch(/^next: do not /);
    }
    // "again" and "repeat" stand after "do not" only.
    expect(text.replaceAll(/do not (?:call it again|repeat this call)/g, '')).not.toMatch(
      /again|repeat|retry|another attempt/i,
    );
    expect(text.split('\n').slice(0, 2)).toEqual([
      `status: ${failure.kind}`,
      `effect: ${failure.effect}`,
    ]);
  });

  it('says a time in whole milliseconds', () => {
    const details = { ...samples.timed_out, afterMs: 28.675_838 };
    expect(forModel('look', failed('timed_out', 'none', details))).toContain('within 29 ms');
  });

  it('says exactly this', () => {
    expect(forModel('send_mail', failed('timed_out', 'unknown', samples.timed_out))).toBe(
      [
        'status: timed_out',
        'effect: unknown',
        'send_mail did not answer within 1000 ms (the time of the tool). It is not known whether it took effect.',
        'next: do not repeat this call, and do not report it as done or as failed. Tell the user that its outcome is unknown and being checked.',
      ].join('\n'),
    );
    expect(
      forModel('send_mail', failed('invalid_arguments', 'none', samples.invalid_arguments)),
    ).toBe(
      [
        'status: invalid_arguments',
        'effect: none',
        'send_mail was not called. Problems with its arguments:',
        '- to: expected string',
        'next: correct the call.',
      ].join('\n'),
    );
  });

  const said = (message: string) =>
    forModel('send_mail', failed('business_error', 'none', { message }));

  it.each([
    [
      'a stack',
      'Error: boom\n    at send (/srv/app/src/mail.ts:12:3)\n    at main',
      /srv|mail\.ts|at main/,
    ],
    ['a path', "ENOENT: no such file, open '/etc/passwd'", /passwd/],
    ['a deep path', 'cannot read /home/app/secrets/key.pem:3:1 now', /home|key\.pem/],
    ['a Windows path', 'cannot read C:\\app\\secrets\\key.pem', /secrets/],
    ['a file URL', 'file:///srv/app/index.js failed', /srv|index/],
    ['credentials of a URL', 'POST https://user:pa55@api.example.com/v1 failed', /user|pa55/],
    ['a key in a URL', 'GET https://api.example.com/v1?q=x&api_key=s3cret&z=1', /s3cret/],
    ['a token in a URL', 'GET https://api.example.com/v1?access_token=s3cret', /s3cret/],
    [
      'an error page',
      'bad gateway <!DOCTYPE html><html><style>.x{}</style><body>nginx internal</body></html>',
      /nginx|style|\.x/,
    ],
    ['markup', 'no <b>such</b> order', /<b>/],
  ])('does not hold %s', (_, message, leak) => {
    expect(said(message)).not.toMatch(leak);
  });

  it.each([
    'Please try again later.',
    'sold out, try again in 5 minutes',
    'Retry the request with another id.',
    'retry in 20s',
  ])('does not hold the invitation of another: %j', (message) => {
    expect(said(message)).not.toMatch(/again|retry/i);
  });

  it.each(['', 'Please try again.', '    at file.js:1'])(
    'says no more where %j is left of it',
    (text) => {
      expect(said(text)).toMatch(/failed\. It is not known|failed\./);
      expect(said(text)).not.toContain(': .');
    },
  );

  it('is there at once, however long the text of another is', () => {
    // Where it is not, the test takes minutes, in the one thread there is.
    for (const part of ['x', '1', 'a.', '/', '://', '?key', '<a', ' at ']) {
      expect(said(part.repeat(2_000_000 / part.length)).length).toBeLessThan(450);
    }
  });

  it('keeps what the tool said otherwise, cut where it is long', () => {
    expect(said('order o1/o2 is sold out, ask for 3/4')).toContain(
      'order o1/o2 is sold out, ask for 3/4',
    );
    expect(said('x'.repeat(1_000)).length).toBeLessThan(450);
    expect(forModel('y'.repeat(500), failed('unknown_tool', 'none', { nearest: [] }))).toContain(
      `${'y'.repeat(80)}…`,
    );
  });
});

describe('what the user reads', () => {
  const saying = {
    en: {
      name: '“send_mail”',
      done: /was done\. It will not be repeated\.$/,
      unknown: /not certain whether .* will not be repeated\.$/,
      none: /(?:[Nn]othing (?:more )?was done|Nothing was changed by it)\.$/,
    },
    ja: {
      name: '「send_mail」',
      done: /実行済みです。再度実行されることはありません。$/,
      unknown: /確認できていません。.*再度実行されることはありません。$/,
      none: /何も(?:実行|変更)されていません。$/,
    },
  } as const;

  describe.each(['en', 'ja'] as const)('%s', (locale) => {
    it.each(all)('$kind, $effect: says what became of it', (failure) => {
      const text = forUser('send_mail', failure, locale);
      expect(text).toContain(saying[locale].name);
      expect(text).toMatch(saying[locale][failure.effect]);
      expect(text).not.toMatch(/[{}]|undefined| {2}/);
    });

    it.each(['credentials', 'permission', 'quota'] as const)('auth_failed for %s', (why) => {
      const text = forUser('send_mail', failed('auth_failed', 'none', { why }), locale);
      expect(text).toMatch(saying[locale].none);
    });

    it('names parts that are done of what is uncertain', () => {
      const stepsDone = ['book', 'pay'];
      const failure = { ...failed('timed_out', 'unknown', samples.timed_out), stepsDone };
      const text = forUser('send_mail', failure, locale);
      expect(text).toContain(locale === 'ja' ? '完了しています：book、pay。' : 'done: book, pay.');
      expect(text).toMatch(saying[locale].unknown);
    });
  });

  it('says each reason of a denial in its own words', () => {
    for (const locale of ['en', 'ja'] as const) {
      const texts = (['credentials', 'permission', 'quota'] as const).map((why) =>
        forUser('x', failed('auth_failed', 'none', { why }), locale),
      );
      expect(new Set(texts).size).toBe(3);
    }
  });

  it('says exactly this', () => {
    const failure = failed('rate_limited', 'none', samples.rate_limited);
    expect(forUser('send_mail', failure, 'ja')).toBe(
      'サービスが現在リクエストを受け付けていないため、「send_mail」を実行できませんでした。何も変更されていません。',
    );
    expect(forUser('send_mail', failure, 'en')).toBe(
      '“send_mail” could not be done: the service takes no more requests for now. Nothing was changed by it.',
    );
  });

  it('promises no check that nobody makes', () => {
    const lost = failed('transport_lost', 'unknown', samples.transport_lost);
    expect(forUser('x', lost, 'en')).toBe(
      'It is not certain whether “x” was done. It is being checked and will not be repeated.',
    );
    const left = leftToPerson(lost);
    expect(forUser('x', left, 'en')).toBe(
      'It is not certain whether “x” was done. This cannot be found out automatically: a person has to look. It will not be repeated.',
    );
    expect(forModel('x', left)).toMatch(/that a person has to look at this\.$/);
  });

  it('takes the name of a tool as it is', () => {
    const failure = failed('cancelled', 'none', samples.cancelled);
    expect(forUser('$&{action}', failure, 'en')).toContain('“$&{action}” was cancelled.');
  });
});

describe('what the user reads of a run', () => {
  const done = [{ tool: 'mail' }, { tool: 'trip', step: 'book' }];
  const open = ['A.', 'B.'];

  it.each([
    ['complete', [], [], 'Everything was answered.'],
    ['complete', done, [], 'Done: mail, trip (book). What is done will not be repeated.'],
    ['interrupted', [], [], 'Waiting for an answer.'],
    [
      'partial',
      done,
      open,
      'Not everything is done. Done: mail, trip (book). What is done will not be repeated. A. B.',
    ],
    ['failed', [], open, 'Nothing was changed. A. B.'],
    [
      'complete',
      [{ tool: 'mail' }, ...done, { tool: 'mail' }],
      [],
      'Done: mail ×3, trip (book). What is done will not be repeated.',
    ],
    ['partial', [], ['A.', 'B.', 'A.'], 'Not everything is done. A. B.'],
  ] as const)('%s, in English', (status, what, left, text) => {
    expect(forUserOfRun(status, what, left, 'en')).toBe(text);
  });

  it.each([
    ['complete', [], [], 'すべて回答しました。'],
    [
      'complete',
      done,
      [],
      '完了した操作：「mail」、「trip」（book）。これらが再度実行されることはありません。',
    ],
    ['interrupted', [], [], 'ご回答をお待ちしています。'],
    ['partial', [], ['一。', '二。'], '一部の操作が完了していません。一。二。'],
    ['failed', [], [], '何も変更されていません。'],
  ] as const)('%s, in Japanese', (status, what, left, text) => {
    expect(forUserOfRun(status, what, left, 'ja')).toBe(text);
  });

  it('names what another process left open', () => {
    expect(forUserUnsettled({ tool: 'mail' }, 'en')).toBe(
      'It is not certain whether “mail” was done. It will not be repeated.',
    );
    expect(forUserUnsettled({ tool: 'trip', step: 'book' }, 'ja')).toBe(
      '「trip」（book）が実行されたかどうかは、まだ確認できていません。再度実行されることはありません。',
    );
  });
});
