import { describe, expect, it } from 'vitest';
import { memberText, readMessages } from './message.js';
import { idBetween, salvage } from './stray-output.js';

describe('the messages of a line', () => {
  it('are requests, notifications and responses, with the text they came as', () => {
    const request = '{"jsonrpc":"2.0", "id":"a", "method":"m", "params":{"n":1.0}}';
    expect(readMessages(request)).toEqual([
      { is: 'request', id: 'a', method: 'm', params: { n: 1 }, text: request },
    ]);
    expect(readMessages('{"jsonrpc":"2.0","method":"m"}')).toMatchObject([{ is: 'notification' }]);
    expect(readMessages('{"jsonrpc":"2.0","id":0,"result":{}}')).toMatchObject([
      { is: 'response', id: 0 },
    ]);
    expect(
      readMessages('{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}'),
    ).toMatchObject([{ is: 'response', error: { code: -1, message: 'x' } }]);
  });

  it('of a batch are all of them, each with its own text', () => {
    const batch = '[{"jsonrpc":"2.0","id":1,"method":"a"}, {"jsonrpc":"2.0","method":"b"}]';
    expect(readMessages(batch).map(({ text }) => text)).toEqual([
      '{"jsonrpc":"2.0","id":1,"method":"a"}',
      '{"jsonrpc":"2.0","method":"b"}',
    ]);
  });

  it.each([
    '',
    'hello',
    '42',
    'null',
    '{}',
    '{"jsonrpc":"1.0","method":"m"}',
    '[1]',
    '{"jsonrpc":"2.0","id":{},"method":"m"}',
  ])('are none in %j', (line) => {
    expect(readMessages(line)).toEqual([]);
  });

  it('give the text of a member deep inside, or nothing', () => {
    const text = '{"a":{"b":[1,2.0]}}';
    expect(memberText(text, 'a', 'b')).toBe('[1,2.0]');
    expect(memberText(text, 'a', 'b', 'c')).toBeUndefined();
    expect(memberText(text, 'x', 'y')).toBeUndefined();
  });
});

describe('what a server prints between messages', () => {
  it('MCP-54: is noise, with the message that is glued to it', () => {
    expect(salvage('50 %{"jsonrpc":"2.0","id":1,"result":{}}')).toMatchObject({
      noise: '50 %',
      messages: [{ is: 'response', id: 1 }],
    });
    expect(
      salvage('{"level":"info"}{"jsonrpc":"2.0","id":1,"result":{"a":{"b":1}}}'),
    ).toMatchObject({
      noise: '{"level":"info"}',
      messages: [{ id: 1 }],
    });
    expect(salvage('{"pretty": {')).toEqual({ noise: '{"pretty": {', messages: [] });
  });

  it('costs no more the longer it is', () => {
    const line = '{"a'.repeat(100_000);
    expect(salvage(line)).toEqual({ noise: line, messages: [] });
  });

  it('has an id at one of its ends', () => {
    expect(idBetween('{"jsonrpc":"2.0","id":"a\\"b","result":{"content', '')).toBe('a"b');
    expect(idBetween('{"result":{', '"}]},"jsonrpc":"2.0","id":7}')).toBe(7);
    expect(idBetween('{"result":{', '"id":3}],"x":{}}')).toBeUndefined();
  });
});
