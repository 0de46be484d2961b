import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { assumed, defineTool, delegates, measured, read } from '../index.js';
import type { AnyToolEntry, NoCompensation } from '../tool-entry.js';
import { againText, durationOfCalls, failureNotes, isAmbiguous, undoText } from './behavior.js';

const base = {
  name: 'send_mail',
  summary: 's',
  input: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
  resourceGroup: 'g',
  owner: 'o',
} as const;
const getMail = defineTool({ ...base, idempotency: read() });
const delegate = defineTool({ ...base, idempotency: delegates() });

const mail = (
  idempotency: Record<string, unknown> = {},
  compensation: Omit<NoCompensation, 'tool'> = { avoidBy: 'accept', reason: 'gone' },
): AnyToolEntry =>
  defineTool({
    ...base,
    idempotency: { class: 'irreversible', ...idempotency },
    compensation: { tool: 'none', ...compensation },
  });
const keyed = {
  class: 'idempotent-write',
  sentAs: { header: 'Key' },
  serverKeepsKeyFor: '7d',
} as const;

describe('whether calling twice is safe', () => {
  it('is said of each class', () => {
    expect(againText(getMail)).toBe('It changes nothing and may be called again.');
    expect(againText(defineTool({ ...base, idempotency: read(), polling: '30s' }))).toBe(
      'It changes nothing and may be called again, at most every 30 s.',
    );
    expect(againText(delegate)).toBe('It runs other tools; what they have done is not done again.');
    expect(againText(mail())).toBe(
      'Calling it again with the same arguments does nothing more and gives the first result.',
    );
    expect(againText(defineTool({ ...base, idempotency: keyed }))).toBe(
      'Calling it again with the same arguments does nothing more and gives the first result, unless it was undone or changed since.',
    );
  });

  it('names what makes two calls the same', () => {
    const start = (key: Record<string, unknown>) =>
      againText(mail({ key })).replace(/ does nothing more and gives the first result/, ' …');
    expect(start({ identity: ['to', 'subject'] })).toBe(
      'Calling it again with the same to, subject ….',
    );
    expect(start({ volatile: ['body'] })).toBe(
      'Calling it again with the same arguments (body aside) ….',
    );
    expect(start({ identity: [] })).toBe('Calling it again with any arguments ….');
    expect(start({ scope: 'business', identity: ['to'] })).toBe(
      'Calling it again with the same to …, in later requests too.',
    );
  });

  it('tells what two equal calls in one message do', () => {
    expect(againText(mail({ repeat: 'deliberate' }))).toMatch(
      / Two equal calls in one message are done twice\.$/,
    );
    expect(againText(mail({ repeat: 'ask' }))).toMatch(
      / Two equal calls in one message are asked about\.$/,
    );
  });
});

describe('what a failure looks like', () => {
  it('is ambiguous for writes only', () => {
    expect([getMail, delegate, mail()].map(isAmbiguous)).toEqual([false, false, true]);
  });

  it('is special where the entry says so', () => {
    expect(failureNotes(mail())).toEqual([]);
    expect(failureNotes(mail({ effectOnError: 'none', onUnknown: 'assume-done' }))).toEqual([
      'An error that the tool itself reports means that nothing happened.',
      'What stays unknown counts as done.',
    ]);
    const failing = { ...base, idempotency: read(), result: { failureWhen: () => undefined } };
    expect(failureNotes(defineTool(failing))).toEqual([
      'A refusal within its result is told as a failure.',
    ]);
  });
});

describe('whether it can be undone', () => {
  it('is said of writes only', () => {
    expect(undoText(getMail)).toBeUndefined();
    expect(undoText(delegate)).toBeUndefined();
    expect(undoText(defineTool({ ...base, idempotency: keyed }))).toBe('No undo is declared.');
  });

  it('has a time and a tool', () => {
    const undone = (strength: 'strong' | 'weak') =>
      undoText(
        defineTool({
          ...base,
          idempotency: keyed,
          compensation: { tool: 'unsend', strength, within: '90m', args: () => ({}) },
        }),
      );
    expect(undone('strong')).toBe('It can be undone for 1 h 30 min, by unsend.');
    expect(undone('weak')).toBe('It can be made good in part for 1 h 30 min, by unsend.');
  });

  it('says how a tool is handled that cannot', () => {
    const undone = (avoidBy: NoCompensation['avoidBy']) =>
      undoText(mail({}, { avoidBy, reason: 'a mail cannot be unsent.' }));
    expect(undone('accept')).toBe('It cannot be undone: a mail cannot be unsent.');
    expect(undone('place-last')).toBe(
      'It cannot be undone: a mail cannot be unsent. It runs after the other calls of its message.',
    );
    expect(undone('confirm')).toBe(
      'It cannot be undone: a mail cannot be unsent. A person approves each call before it runs.',
    );
  });
});

it('says how long it takes, as far as it is known', () => {
  const takes = (more: Partial<Parameters<typeof defineTool>[0]>) =>
    durationOfCalls(defineTool({ ...base, idempotency: read(), ...more }));
  const latency = measured({ p50: 40, p95: 180, p99: 420, samples: 90, measuredAt: '2026-11-02' });
  expect(takes({})).toBeUndefined();
  expect(takes({ latency })).toBe('It takes about 40 ms, at times 180 ms; given up after 630 ms.');
  expect(takes({ latency: assumed(5_000) })).toBe('It takes up to 5 s.');
  expect(takes({ latency: assumed(5_000), timeouts: { total: '8s' } })).toBe(
    'It takes up to 5 s; given up after 8 s.',
  );
  expect(takes({ timeouts: { total: '8s' } })).toBe('It is given up after 8 s.');
});
