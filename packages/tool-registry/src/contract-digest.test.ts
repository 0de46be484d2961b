import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from './index.js';

const declaration = {
  name: 'refund',
  summary: 'Refund a charge.',
  input: z.object({ chargeId: z.string(), amount: z.int().default(5), note: z.string() }),
  output: z.object({ refundId: z.string() }),
  idempotency: {
    class: 'idempotent-write',
    key: { volatile: ['note', 'amount'] },
    sentAs: { header: 'Idempotency-Key' },
    serverKeepsKeyFor: '1d',
  },
  resourceGroup: 'payments',
  owner: 'billing@team',
} as const;
const { digest } = defineTool(declaration);
const idempotency = declaration.idempotency;
const withInput = (input: z.ZodType<{ chargeId: string; amount: number; note: string }>) =>
  defineTool({ ...declaration, input }).digest;

describe('the digest of a contract', () => {
  it('is the same for the same promise', () => {
    expect(defineTool({ ...declaration, version: '1.0.0', sideEffect: 'external' }).digest).toBe(
      digest,
    );
  });

  it('does not change with texts, owner, times, or an order that means nothing', () => {
    const texts = {
      useWhen: 'The charge was wrong.',
      avoidWhen: 'The customer only asks.',
      examples: [{ args: { chargeId: 'ch', note: 'n' } }],
    };
    expect(defineTool({ ...declaration, ...texts, timeouts: { idle: '1s' } }).digest).toBe(digest);
    expect(defineTool({ ...declaration, result: { maxBytes: 9_999, keep: ['id'] } }).digest).toBe(
      digest,
    );
    expect(defineTool({ ...declaration, summary: 'Give it back.', owner: 'o' }).digest).toBe(
      digest,
    );
    expect(
      defineTool({
        ...declaration,
        idempotency: { ...idempotency, key: { volatile: ['amount', 'note'] } },
      }).digest,
    ).toBe(digest);
    const { note, amount, chargeId } = declaration.input.shape;
    expect(withInput(z.object({ note: note.describe('why'), amount, chargeId }))).toBe(digest);
  });

  it('changes with everything that is promised', () => {
    const others = [
      defineTool({ ...declaration, name: 'refund_all' }),
      defineTool({ ...declaration, version: '1.0.1' }),
      defineTool({ ...declaration, output: z.object({ id: z.string() }) }),
      defineTool({ ...declaration, sideEffect: 'internal' }),
      defineTool({ ...declaration, idempotency: { ...idempotency, key: {} } }),
      defineTool({ ...declaration, idempotency: { ...idempotency, key: { volatile: ['note'] } } }),
      defineTool({ ...declaration, idempotency: { ...idempotency, sentAs: { header: 'X-Key' } } }),
      defineTool({ ...declaration, idempotency: { ...idempotency, serverKeepsKeyFor: '2d' } }),
      defineTool({ ...declaration, idempotency: { ...idempotency, effectOnError: 'none' } }),
      defineTool({ ...declaration, idempotency: { ...idempotency, repeat: 'ask' } }),
      defineTool({ ...declaration, idempotency: { ...idempotency, onUnknown: 'assume-done' } }),
      defineTool({ ...declaration, result: { failureWhen: () => undefined } }),
      defineTool({
        ...declaration,
        compensation: { tool: 'charge', strength: 'weak', within: '1d', args: () => ({}) },
      }),
      defineTool({
        ...declaration,
        compensation: { tool: 'none', avoidBy: 'accept', reason: 'money is gone' },
      }),
      defineTool({
        ...declaration,
        compensation: { tool: 'none', avoidBy: 'confirm', reason: 'money is gone' },
      }),
    ].map((entry) => entry.digest);
    const { chargeId, note, amount } = declaration.input.shape;
    others.push(withInput(z.object({ chargeId, note, amount: z.int().default(6) })));
    others.push(withInput(z.object({ chargeId: chargeId.max(9), note, amount })));
    expect(new Set([digest, ...others]).size).toBe(others.length + 1);
  });

  it('is the same in every process, though a default is made anew each time', () => {
    let made = 0;
    const define = (at: () => string) =>
      defineTool({
        ...declaration,
        idempotency,
        input: z.object({
          chargeId: z.string(),
          amount: z.int().default(() => made++),
          note: z.string().default(at).optional(),
        }),
      }).digest;
    expect(define(() => '2026-11-02T10:00:00Z')).toBe(define(() => '2027-01-01T10:00:00Z'));
  });
});
