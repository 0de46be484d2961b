import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { toolCall } from './adapter.fixture.js';
import { digestOf, humanInputOf, isAnsweredCall, isLeftBehind, placeOfCall } from './turn.js';
import { endsOfTurn, isMadeGood } from './turn-ends.js';

const human = (id: string, content = 'Hi.') => new HumanMessage({ id, content });
const ai = (id: string, ...calls: ReturnType<typeof toolCall>[]) =>
  new AIMessage({ id, content: '', tool_calls: calls });
const answer = (callId: string, artifact?: unknown) =>
  new ToolMessage({ content: 'ok', tool_call_id: callId, artifact });

describe('the place of a call', () => {
  it('is its position in the last AI message that holds it, with its siblings', () => {
    const call = toolCall('send_mail', { to: 'b' }, 'c2');
    const messages = [human('h1'), ai('m1', toolCall('send_mail', { to: 'a' }, 'c1'), call)];
    expect(placeOfCall(messages, call)).toEqual({
      message: messages[1],
      messageId: 'm1',
      position: 1,
      siblings: [
        { tool: 'send_mail', args: { to: 'a' } },
        { tool: 'send_mail', args: { to: 'b' } },
      ],
    });
  });

  it('is in the newest message where an id is used again', () => {
    const call = toolCall('send_mail', { to: 'a' }, 'call_0');
    const messages = [ai('m1', call), answer('call_0'), human('h2'), ai('m2', call)];
    expect(placeOfCall(messages, call)?.messageId).toBe('m2');
  });

  it('is found by the arguments where the id is missing or shared', () => {
    const first = toolCall('send_mail', { to: 'a' }, 'same');
    const second = toolCall('send_mail', { to: 'b' }, 'same');
    expect(placeOfCall([ai('m1', first, second)], second)?.position).toBe(1);
    const bare = { name: 'send_mail', args: { to: 'b' } };
    expect(placeOfCall([ai('m1', first, second)], bare)?.position).toBe(1);
  });

  it('is found by the id where a person has edited the arguments', () => {
    const call = toolCall('send_mail', { to: 'a' }, 'c1');
    expect(placeOfCall([ai('m1', call)], { ...call, args: { to: 'b' } })?.position).toBe(0);
  });

  it('is unknown for a call that no message holds', () => {
    expect(placeOfCall([human('h1')], toolCall('send_mail', {}))).toBeUndefined();
  });
});

describe('a human input', () => {
  it('is the last human message, and says what the human messages in a row say', () => {
    const input = humanInputOf([human('h0', 'Old.'), ai('m0'), human('h1', 'One.'), human('h2')]);
    expect(input).toEqual({ id: 'h2', digest: digestOf([human('x', 'One.'), human('y')]) });
  });

  it('has a digest of what is said, whatever the ids', () => {
    expect(digestOf([human('a', 'Hi.')])).toBe(digestOf([human('b', 'Hi.')]));
    expect(digestOf([human('a', 'Hi.')])).not.toBe(digestOf([human('a', 'Ho.')]));
    expect(digestOf([new SystemMessage('be brief'), human('a')])).toBe(digestOf([human('a')]));
  });

  it('is not there where nobody spoke or the message has no id', () => {
    expect(humanInputOf([ai('m1')])).toBeUndefined();
    expect(humanInputOf([new HumanMessage('no id')])).toBeUndefined();
  });

  it.each<[string, BaseMessage[], boolean]>([
    ['a last word', [human('h1'), ai('m1')], true],
    ['a last word before the next input', [human('h1'), ai('m1'), human('h2')], true],
    ['an open call', [human('h1'), ai('m1', toolCall('x', {}))], false],
    [
      'a result without a last word',
      [human('h1'), ai('m1', toolCall('x', {})), answer('c1')],
      false,
    ],
    ['nothing', [human('h1')], false],
    ['the next input only', [human('h1'), human('h2'), ai('m2')], false],
    ['a message that is not there', [human('h2'), ai('m2')], false],
  ])('counts as answered by %s: %s', (_, messages, answered) => {
    expect(isMadeGood(messages, 'h1')).toBe(answered);
  });
});

describe('a call', () => {
  it('is answered by a result after its own message only', () => {
    const call = toolCall('send_mail', { to: 'a' }, 'call_0');
    const messages = [ai('m1', call), answer('call_0'), ai('m2', call)];
    expect(isAnsweredCall(messages, { messageId: 'm1', callId: 'call_0' })).toBe(true);
    expect(isAnsweredCall(messages, { messageId: 'm2', callId: 'call_0' })).toBe(false);
    expect(isAnsweredCall(messages, { messageId: 'm3', callId: 'call_0' })).toBe(false);
  });
});

describe('a call that waited for a person', () => {
  it('is left behind when the person said something else', () => {
    const asks = ai('m1', toolCall('send_mail', { to: 'a' }, 'c1'));
    const place = { messageId: 'm1', callId: 'c1' };
    expect(isLeftBehind([human('h1'), asks], place)).toBe(false);
    expect(isLeftBehind([human('h1'), asks, human('h2')], place)).toBe(true);
    expect(isLeftBehind([human('h2')], place)).toBe(false);
  });
});

describe('the ends of a turn', () => {
  it('are those of its calls, failures as they were given to the model', () => {
    const failure = {
      kind: 'invalid_arguments',
      effect: 'none',
      tool: 'send_mail',
      callId: 'c2',
      intentId: 'i1',
      forUser: 'no',
    };
    const ends = endsOfTurn([
      human('h0'),
      ai('m0', toolCall('look_up', {}, 'c0')),
      answer('c0', failure),
      human('h1'),
      ai('m1', toolCall('look_up', {}, 'c1'), toolCall('send_mail', {}, 'c2')),
      answer('c1', { rows: 3 }),
      answer('c2', failure),
    ]);
    expect(ends).toEqual([
      { tool: 'look_up', callId: 'c1' },
      { tool: 'send_mail', callId: 'c2', failure },
    ]);
  });
});
