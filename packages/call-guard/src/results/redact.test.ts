import { describe, expect, it } from 'vitest';
import { fieldTree } from './field-tree.js';
import { redactText, redactValue } from './redact.js';

const fields = fieldTree(['key', 'user.token', 'rows.secret']);

describe('fields that must not be kept', () => {
  const value = {
    key: { any: 'thing' },
    user: { token: 't', name: 'n' },
    rows: [{ secret: 1 }, { secret: 2, id: 3 }],
    token: 'another',
  };
  const without = {
    key: '[redacted]',
    user: { token: '[redacted]', name: 'n' },
    rows: [{ secret: '[redacted]' }, { secret: '[redacted]', id: 3 }],
    token: 'another',
  };

  it('go from a value, and all else stays', () => {
    expect(redactValue(value, fields)).toEqual(without);
    expect(redactValue([value, 7, null], fields)).toEqual([without, 7, null]);
    expect(value.key).toEqual({ any: 'thing' });
  });

  it('go from a JSON text, and all else stays as it was written', () => {
    expect(JSON.parse(redactText(JSON.stringify(value, null, 2), fields))).toEqual(without);
    expect(redactText('{"n":1.00,"key":"k","k\\u0065y":"k"}', fields)).toBe(
      '{"n":1.00,"key":"[redacted]","k\\u0065y":"[redacted]"}',
    );
    expect(redactText('[[{"key":1}],[]]', fields)).toBe('[[{"key":"[redacted]"}],[]]');
  });

  it.each(['your key is k', '"key"', '{"key":', '12'])(
    'may stand anywhere in %s, of which nothing is left',
    (text) => {
      expect(redactText(text, fields)).toBe('[redacted]');
    },
  );
});
