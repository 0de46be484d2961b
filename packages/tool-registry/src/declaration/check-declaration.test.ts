import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, isSetupError, read, type SetupProblem } from '../index.js';

const getOrder = defineTool({
  name: 'get_order',
  summary: 'Look up one order.',
  input: z.object({ orderId: z.string() }),
  idempotency: read(),
  resourceGroup: 'orders-db',
  owner: 'orders@team',
});
const args = () => ({});
const mail = {
  name: 'send_mail',
  summary: 'Send one e-mail.',
  input: z.object({ to: z.string(), subject: z.string(), requestId: z.string() }),
  idempotency: { class: 'irreversible' },
  compensation: { tool: 'none', avoidBy: 'accept', reason: 'a mail cannot be unsent' },
  resourceGroup: 'mail',
  owner: 'crm@team',
} as const;
const keyed = {
  class: 'idempotent-write',
  sentAs: { header: 'Idempotency-Key' },
  serverKeepsKeyFor: '1d',
} as const;

/** Plain JavaScript gives what the types forbid. */
function problems(declaration: unknown): readonly SetupProblem[] {
  try {
    defineTool(declaration as Parameters<typeof defineTool>[0]);
    return [];
  } catch (error) {
    if (!isSetupError(error, 'registry_invalid')) throw error;
    return error.problems;
  }
}
const fields = (declaration: unknown) => problems(declaration).map((p) => p.field);
const withMail = (change: Record<string, unknown>) => problems({ ...mail, ...change });

describe('a declaration', () => {
  it('with nothing wrong is accepted', () => {
    expect(problems(mail)).toEqual([]);
  });

  it('is refused with all of its problems at once', () => {
    expect(fields({})).toEqual([
      'tools.(unnamed).name',
      'tools.(unnamed).summary',
      'tools.(unnamed).input',
      'tools.(unnamed).idempotency',
      'tools.(unnamed).resourceGroup',
      'tools.(unnamed).owner',
    ]);
    expect(
      fields({ ...mail, summary: ' ', owner: '', version: '1.0', sideEffect: 'huge', input: {} }),
    ).toEqual([
      'tools.send_mail.version',
      'tools.send_mail.summary',
      'tools.send_mail.input',
      'tools.send_mail.sideEffect',
      'tools.send_mail.owner',
    ]);
  });

  it.each([null, undefined, 5, 'send_mail', [], () => 1, Symbol('x')])(
    'that is %s is refused as such',
    (value) => {
      expect(fields(value)).toEqual(['tools.(unnamed)']);
    },
  );

  it('with a null or a number anywhere is refused, never a TypeError', () => {
    const full = {
      ...mail,
      version: '1.0.0',
      output: z.object({}),
      useWhen: 'A customer waits for an answer.',
      avoidWhen: 'The customer wants to be called.',
      examples: [{ args: { to: 'a@b.example', subject: 's', requestId: 'r' }, note: 'a note' }],
      idempotency: {
        ...keyed,
        key: { scope: 'intent', identity: ['to'], volatile: ['subject'] },
        repeat: 'ask',
        onUnknown: 'assume-done',
      },
      capture: { tool: getOrder, args },
      compensation: { tool: 'undo', strength: 'weak', within: '1h', args },
      probe: { tool: getOrder, args, answer: args, inFlightHorizon: '1m', timeout: '9s' },
      result: { failureWhen: args },
      arguments: { to: { exact: true } },
      latency: { kind: 'measured', p50: 1, p95: 2, p99: 3, samples: 9, measuredAt: '2026-11-02' },
      timeouts: { firstByte: '1s', idle: '1s', total: '1s' },
      serialBy: 'to',
      sideEffect: 'external',
    };
    expect(problems(full)).toEqual([]);
    const spoil = (value: object, path: string[]): void => {
      for (const key of Object.keys(value)) {
        const before: unknown = Reflect.get(value, key);
        for (const bad of [null, -1, 'no such thing!', [null], Symbol('x')]) {
          Reflect.set(value, key, bad);
          const freeText =
            ['summary', 'useWhen', 'avoidWhen', 'note', 'resourceGroup', 'owner'].includes(key) ||
            path.at(-1) === 'args' ||
            (path.at(-1) === 'compensation' && key === 'tool');
          const refused = fields(full).length > 0;
          expect({ path, key, bad, refused }).toEqual({
            path,
            key,
            bad,
            refused: !(freeText && typeof bad === 'string'),
          });
        }
        Reflect.set(value, key, before);
        const plain = typeof before === 'object' && before !== null;
        if (plain && !Object.isFrozen(before) && key !== 'input' && key !== 'output') {
          spoil(before, [...path, key]);
        }
      }
    };
    spoil(full, []);
  });

  it('with a misspelled setting is told the nearest one', () => {
    expect(withMail({ sumary: 'x' })).toContainEqual({
      field: 'tools.send_mail.sumary',
      reason: 'there is no such setting',
      fix: "did you mean 'summary'?",
    });
    expect(withMail({ selfRepair: 1 })).toContainEqual({
      field: 'tools.send_mail.selfRepair',
      reason: 'there is no such setting',
      fix: 'remove it',
    });
    const nested = {
      idempotency: { class: 'irreversible', key: { volatiles: [] }, serverKeepsKeyFor: '1d' },
      arguments: { to: { exactly: true } },
      timeouts: { totals: 5 },
    };
    expect(withMail(nested).map((p) => [p.field, p.fix])).toEqual([
      ['tools.send_mail.idempotency.serverKeepsKeyFor', 'remove it'],
      ['tools.send_mail.idempotency.key.volatiles', "did you mean 'volatile'?"],
      ['tools.send_mail.arguments.to.exactly', "did you mean 'exact'?"],
      ['tools.send_mail.timeouts.totals', "did you mean 'total'?"],
    ]);
  });

  it('has texts with content where it has any', () => {
    expect(fields({ ...mail, useWhen: ' ', avoidWhen: 5 })).toEqual([
      'tools.send_mail.useWhen',
      'tools.send_mail.avoidWhen',
    ]);
  });

  it('polls only as a read, and at 100 ms or more', () => {
    const { compensation, ...toRead } = { ...mail, idempotency: read() };
    expect(problems({ ...toRead, polling: '100ms' })).toEqual([]);
    expect(fields({ ...toRead, polling: 99 })).toEqual(['tools.send_mail.polling']);
    expect(withMail({ polling: '1s' })).toEqual([
      {
        field: 'tools.send_mail.polling',
        reason: 'only a read may be asked again and again, and this is "irreversible"',
        fix: 'remove it, or declare the read',
      },
    ]);
  });

  it('recognizes failures among its results by a function', () => {
    expect(withMail({ result: { failureWhen: () => undefined } })).toEqual([]);
    expect(fields({ ...mail, result: { failureWhen: 'ok', failsWhen: 1 } })).toEqual([
      'tools.send_mail.result.failsWhen',
      'tools.send_mail.result.failureWhen',
    ]);
  });

  it('says what of a long result is given on', () => {
    expect(withMail({ result: { maxBytes: 4_096, keep: ['id', 'order.status'] } })).toEqual([]);
    expect(defineTool({ ...mail, result: { keep: ['id'] } }).resultCap).toEqual({ keep: ['id'] });
    expect(defineTool(mail).resultCap).toEqual({ keep: [] });
    for (const maxBytes of [4_095, 67_108_865, 5_000.5, '2kb']) {
      expect(fields({ ...mail, result: { maxBytes } })).toEqual([
        'tools.send_mail.result.maxBytes',
      ]);
    }
    expect(fields({ ...mail, result: { keep: 'id', redact: [''] } })).toEqual([
      'tools.send_mail.result.keep',
      'tools.send_mail.result.redact[0]',
    ]);
    expect(fields({ ...mail, result: { keep: ['id', '', 'a..b', 'a.', 5] } })).toEqual(
      [1, 2, 3, 4].map((index) => `tools.send_mail.result.keep[${index}]`),
    );
  });

  it.each(['', 'send mail', 'send.mail', 'x'.repeat(65), 'möhre', 5, null, 'none'])(
    'with the name %j is refused',
    (name) => {
      expect(withMail({ name }).map((p) => p.field.endsWith('.name'))).toEqual([true]);
    },
  );

  it.each(['1', '1.0', 'v1.0.0', '1.0.0-beta', '01.0.0', 1])(
    'with the version %j is refused',
    (version) => {
      expect(withMail({ version }).map((p) => p.field)).toEqual(['tools.send_mail.version']);
    },
  );

  it('with a schema that has no JSON schema is refused', () => {
    const input = z.object({ to: z.bigint().default(1n) });
    expect(withMail({ input })[0]).toMatchObject({
      field: 'tools.send_mail.input',
      reason: expect.stringContaining('BigInt'),
    });
  });
});

describe('an idempotency', () => {
  const of = (idempotency: unknown, change: Record<string, unknown> = {}) =>
    withMail({ idempotency, ...change }).map((p) => p.field.replace('tools.send_mail.', ''));
  const recipe = (key: unknown) => of({ class: 'irreversible', key });

  it('names arguments of the input only', () => {
    expect(recipe({ identity: ['to', 'sujbect'], volatile: ['body'] })).toEqual([
      'idempotency.key.identity[1]',
      'idempotency.key.volatile[0]',
    ]);
    expect(recipe({ trim: ['x'], foldCase: ['y'], nfc: ['z'] })).toEqual([
      'idempotency.key.trim[0]',
      'idempotency.key.foldCase[0]',
      'idempotency.key.nfc[0]',
    ]);
    expect(
      withMail({ idempotency: { class: 'irreversible', key: { identity: ['sujbect'] } } }),
    ).toEqual([
      {
        field: 'tools.send_mail.idempotency.key.identity[0]',
        reason: 'the input has no argument "sujbect"',
        fix: "did you mean 'subject'?",
      },
    ]);
  });

  it('may name anything where the input does not list its arguments', () => {
    const idempotency = { class: 'irreversible', key: { identity: ['anything'] } };
    for (const input of [z.looseObject({ to: z.string() }), z.record(z.string(), z.string())]) {
      expect(withMail({ idempotency, input })).toEqual([]);
    }
  });

  it('leaves nothing both in and out of the identity', () => {
    expect(recipe({ identity: ['to'], volatile: ['subject', 'to'] })).toEqual([
      'idempotency.key.volatile[1]',
    ]);
  });

  it('has an identity across runs, and may have none within a wish', () => {
    expect(recipe({ identity: [] })).toEqual([]);
    expect(recipe({ scope: 'business', identity: [] })).toEqual(['idempotency.key.identity']);
  });

  it('carries its key in one header or one argument', () => {
    expect(of({ ...keyed, sentAs: { header: 'Idempotency Key' } })).toEqual([
      'idempotency.sentAs.header',
    ]);
    expect(of({ ...keyed, sentAs: { header: 'a', argument: 'to' } })).toEqual([
      'idempotency.sentAs',
    ]);
    expect(of({ ...keyed, sentAs: {} })).toEqual(['idempotency.sentAs']);
    expect(of({ ...keyed, sentAs: { argument: 'nope' } })).toEqual(['idempotency.sentAs.argument']);
    expect(of({ ...keyed, sentAs: { argument: 'requestId' } })).toEqual([]);
    expect(of({ class: 'idempotent-write' })).toEqual([
      'idempotency.sentAs',
      'idempotency.serverKeepsKeyFor',
    ]);
    expect(of({ ...keyed, serverKeepsKeyFor: 0 })).toEqual(['idempotency.serverKeepsKeyFor']);
  });

  it('is carried in _meta under a name that the protocol allows', () => {
    for (const meta of ['requestId', 'com.example/request-id', 'dev.holdfast/idempotency-key']) {
      expect(of({ ...keyed, sentAs: { meta } })).toEqual([]);
    }
    for (const meta of ['', '/x', 'com..example/x', '-a/x', 'com.example/', 'a b', 7]) {
      expect(of({ ...keyed, sentAs: { meta } })).toEqual(['idempotency.sentAs.meta']);
    }
    const two = { meta: 'requestId', header: 'Key' };
    expect(of({ ...keyed, sentAs: two })).toEqual(['idempotency.sentAs']);
  });

  it('takes no carrier out of an identity or out of an input that is no plain object', () => {
    const sentAs = { argument: 'requestId' };
    expect(of({ ...keyed, sentAs, key: { identity: ['requestId'] } })).toEqual([
      'idempotency.sentAs.argument',
    ]);
    const refined = mail.input.refine(() => true);
    expect(of({ ...keyed, sentAs }, { input: refined })).toEqual(['idempotency.sentAs.argument']);
    const record = z.record(z.string(), z.string());
    expect(of({ ...keyed, sentAs }, { input: record })).toEqual(['idempotency.sentAs.argument']);
  });

  it('says what becomes of equal calls and of what stays unknown', () => {
    for (const repeat of ['collapse', 'deliberate', 'ask']) {
      expect(of({ class: 'irreversible', repeat, onUnknown: 'hand-off' })).toEqual([]);
    }
    expect(of({ class: 'irreversible', repeat: 'twice', onUnknown: 'retry' })).toEqual([
      'idempotency.repeat',
      'idempotency.onUnknown',
    ]);
    expect(withMail({ idempotency: { class: 'irreversible', onUnknown: 'compensate' } })).toEqual([
      {
        field: 'tools.send_mail.idempotency.onUnknown',
        reason: "'compensate' comes with the saga, which this version does not have",
        fix: "give 'hand-off' | 'assume-done'",
      },
    ]);
  });

  it('is of a known class', () => {
    expect(of({ class: 'write' })).toEqual(['idempotency.class']);
    expect(of('read')).toEqual(['idempotency']);
    expect(of({ class: 'toString' })).toEqual(['idempotency.class']);
  });
});

describe('an example', () => {
  const args = { to: 'a@b.example', subject: 's', requestId: 'r' };
  const of = (examples: unknown, change: Record<string, unknown> = {}) =>
    withMail({ examples, ...change });

  it('is a call that the input takes', () => {
    expect(of([{ args }, { args, note: 'again' }])).toEqual([]);
    expect(of([{ args }, { args: { ...args, subject: 5 } }])).toEqual([
      {
        field: 'tools.send_mail.examples[1].args',
        reason:
          'the input does not take it (subject: Invalid input: expected string, received number)',
        fix: 'give arguments as the model would',
      },
    ]);
    expect(of({ args }).map((p) => p.field)).toEqual(['tools.send_mail.examples']);
    expect(of([{ args, comment: 'x', note: '' }]).map((p) => p.field)).toEqual([
      'tools.send_mail.examples[0].comment',
      'tools.send_mail.examples[0].note',
    ]);
  });

  it('leaves out the argument that carries the key, as the model does', () => {
    const { requestId, ...seen } = args;
    const idempotency = { ...keyed, sentAs: { argument: 'requestId' } };
    expect(of([{ args: seen }], { idempotency })).toEqual([]);
  });

  it('is taken as it is where only an asynchronous refinement could tell', () => {
    const input = mail.input.refine(async () => false);
    expect(of([{ args }], { input })).toEqual([]);
    const broken = mail.input.transform(() => {
      throw new Error('no luck');
    });
    expect(of([{ args }], { input: broken })[0]?.reason).toBe(
      'the input cannot parse it (no luck)',
    );
  });
});

describe('what surrounds an effect', () => {
  it('must be said for an irreversible tool', () => {
    expect(withMail({ compensation: undefined })).toEqual([
      expect.objectContaining({ field: 'tools.send_mail.compensation' }),
    ]);
    expect(withMail({ compensation: undefined, idempotency: keyed })).toEqual([]);
  });

  it('is refused on a read', () => {
    const change = {
      capture: { tool: getOrder, args },
      probe: { tool: getOrder, args, answer: args },
    };
    const of = (more: Record<string, unknown>) =>
      withMail({ idempotency: read(), ...more }).map((p) =>
        p.field.replace('tools.send_mail.', ''),
      );
    expect(of({ ...change, sideEffect: 'external' })).toEqual([
      'capture',
      'probe',
      'compensation',
      'sideEffect',
    ]);
    expect(of({ compensation: undefined, sideEffect: 'none' })).toEqual([]);
  });

  it('asks reads only', () => {
    const write = defineTool({ ...mail, name: 'other' });
    for (const tool of [write, { ...getOrder }, 'get_order', undefined]) {
      const change = { capture: { tool, args }, probe: { tool, args, answer: args } };
      expect(withMail(change).map((p) => p.field)).toEqual([
        'tools.send_mail.capture.tool',
        'tools.send_mail.probe.tool',
      ]);
    }
    expect(withMail({ capture: { tool: write, args } })[0]?.reason).toBe(
      '"other" is not a read but irreversible',
    );
  });

  it('is complete', () => {
    const at = (change: Record<string, unknown>) => withMail(change).map((p) => p.field.slice(16));
    expect(at({ compensation: { tool: 'undo' } })).toEqual([
      'compensation.strength',
      'compensation.within',
      'compensation.args',
    ]);
    expect(at({ compensation: { tool: 'none' } })).toEqual([
      'compensation.avoidBy',
      'compensation.reason',
    ]);
    expect(at({ probe: {} })).toEqual(['probe.tool', 'probe.args', 'probe.answer']);
    const probe = { tool: getOrder, args, answer: args };
    expect(at({ probe: { ...probe, timeout: '5m' } })).toEqual([]);
    expect(at({ probe: { ...probe, timeout: '6m' } })).toEqual(['probe.timeout']);
  });

  it('may be avoided by order, by a person, or not at all', () => {
    for (const avoidBy of ['place-last', 'confirm', 'accept']) {
      expect(withMail({ compensation: { tool: 'none', avoidBy, reason: 'gone' } })).toEqual([]);
    }
  });
});

describe('a latency', () => {
  const of = (latency: unknown) => withMail({ latency }).map((p) => p.field.slice(16));
  const measured = {
    kind: 'measured',
    p50: 1,
    p95: 2,
    p99: 3,
    samples: 9,
    measuredAt: '2026-11-02',
  };

  it('has its percentiles in order and no negative number', () => {
    expect(of(measured)).toEqual([]);
    expect(of({ ...measured, p50: 5 })).toEqual(['latency']);
    expect(of({ ...measured, p99: 1 })).toEqual(['latency']);
    expect(of({ ...measured, p50: -1, samples: 0.5 })).toEqual(['latency.p50', 'latency.samples']);
    expect(of({ ...measured, measuredAt: 'yesterday' })).toEqual(['latency.measuredAt']);
  });

  it('is assumed between 1 ms and 24 h', () => {
    expect(of({ kind: 'assumed', ceilingMs: 86_400_000 })).toEqual([]);
    for (const ceilingMs of [0, -5, Number.NaN, 86_400_001]) {
      expect(of({ kind: 'assumed', ceilingMs })).toEqual(['latency.ceilingMs']);
    }
  });

  it('leaves a timeout between 1 ms and 24 h', () => {
    for (const total of [0, '2d', -1]) {
      expect(withMail({ timeouts: { total } }).map((p) => p.field)).toEqual([
        'tools.send_mail.timeouts.total',
      ]);
    }
  });

  it('leaves a first byte and a silence that fit into the whole', () => {
    expect(withMail({ timeouts: { firstByte: '5s', idle: 1, total: 5_000 } })).toEqual([]);
    expect(withMail({ timeouts: { firstByte: '9h', idle: '2s' } })).toEqual([]);
    expect(withMail({ timeouts: { firstByte: '6s', idle: 0, total: '5s' } })).toEqual([
      {
        field: 'tools.send_mail.timeouts.firstByte',
        reason: '"6s" is longer than the total of "5s"',
        fix: 'give at most the total',
      },
      expect.objectContaining({ field: 'tools.send_mail.timeouts.idle' }),
    ]);
  });
});
