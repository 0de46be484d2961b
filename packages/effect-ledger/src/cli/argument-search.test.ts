import { describe, expect, it } from 'vitest';
import { wishDigest } from '../effect-key.js';
import { type AskedArgument, askedArgument, hold, possibleWishes } from './argument-search.js';

const asked = (...texts: string[]) =>
  texts.map(askedArgument).filter((one): one is AskedArgument => one !== undefined);

describe('an argument that is asked for', () => {
  it('is a name and what its text may mean', () => {
    expect(asked('cents=500', 'to=a=b', 'id="007"', 'empty=', '=x', 'no value')).toEqual([
      { name: 'cents', values: ['500', 500] },
      { name: 'to', values: ['a=b'] },
      { name: 'id', values: ['"007"', '007'] },
      { name: 'empty', values: [''] },
    ]);
  });

  it('is found in what was sent, as a number or as a text, and never by its prototype', () => {
    const sent = { cents: 500, id: '007', list: { a: 1, b: 2 } };
    expect(hold(sent, asked('cents=500', 'id=007', 'list={"b":2,"a":1}'))).toBe(true);
    expect(hold(sent, asked('cents=500', 'id=7'))).toBe(false);
    expect(hold(sent, asked('constructor=x'))).toBe(false);
    expect(hold(undefined, asked('cents=500'))).toBe(false);
  });

  it('is found by the digest of the wish in each of its readings', () => {
    const digest = (identity: string) => wishDigest({ tool: 'refund', identity, keyGiven: false });
    expect(possibleWishes('refund', asked('invoiceId=7', 'cents=500'))).toEqual([
      digest('{"cents":"500","invoiceId":"7"}'),
      digest('{"cents":500,"invoiceId":"7"}'),
      digest('{"cents":"500","invoiceId":7}'),
      digest('{"cents":500,"invoiceId":7}'),
    ]);
  });
});
