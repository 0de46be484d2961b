import { describe, expect, it } from 'vitest';
import { redactSecrets, withoutSecrets } from './secrets.js';

const filler = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7';

describe('secrets in a text', () => {
  it.each([
    ['key ', `sk-${filler}`],
    ['key ', `sk-ant-api03-${filler}`],
    ['key ', `sk_live_${filler}`],
    ['token ', `ghp_${filler}${filler}`],
    ['token ', `glpat-${filler}`],
    ['', `xoxb-123456789012-${filler}`],
    ['id ', `AKIA${'ABCD1234'.repeat(2)}`],
    ['jwt ', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${filler}`],
    ['', `-----BEGIN RSA PRIVATE KEY-----\n${filler}\n-----END RSA PRIVATE KEY-----`],
    ['Authorization: Bearer ', filler],
    ['{"password":"', filler],
    ['{\\"api_key\\":\\"', filler],
    ['client_secret=', filler],
    ['postgres://ann:', 'pa55word', '@db/x'],
  ])('%s%s go, and what is around them stays', (before, secret, after = ' and more') => {
    expect(redactSecrets(`${before}${secret}${after}`)).toBe(`${before}[redacted]${after}`);
  });

  it.each([
    'the order ord_12345678901234567890 is late',
    'https://example.com/a?b=c',
    'no such table: passwords',
    'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90',
    'task-force-of-the-department-of-everything',
  ])('%s has none', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  it('are looked for in no more than anybody reads, in linear time', () => {
    const long = redactSecrets('password"'.repeat(100_000));
    expect(long.length).toBe(100_001);
    expect(redactSecrets(`-----BEGIN PRIVATE KEY-----${'x'.repeat(200_000)}`)).toBe('[redacted]');
  });
});

describe('secrets in a value', () => {
  it('go from its texts, and from fields that are called so', () => {
    const value = {
      to: 'a',
      apiKey: 7,
      list: [`key ghp_${filler}${filler}`, null, 1],
      Password: {},
    };
    expect(withoutSecrets(value)).toEqual({
      to: 'a',
      apiKey: '[redacted]',
      list: ['key [redacted]', null, 1],
      Password: '[redacted]',
    });
  });
});
