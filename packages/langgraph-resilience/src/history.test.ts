import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHistory, validHistory } from './history.js';

const ask = (id: string | undefined, ...ids: (string | undefined)[]): AIMessage =>
  new AIMessage({
    content: '',
    ...(id === undefined ? {} : { id }),
    tool_calls: ids.map((callId, n): ToolCall => {
      const call = { type: 'tool_call' as const, name: 'send_mail', args: { n } };
      return callId === undefined ? call : { ...call, id: callId };
    }),
  });
const answer = (id: string, text = `answer to ${id}`, status: 'success' | 'error' = 'success') =>
  new ToolMessage({ content: text, tool_call_id: id, status });
const human = (text = 'Hello.') => new HumanMessage(text);

/** The history put right, its missing answers made up. */
function mended(...given: BaseMessage[]) {
  const history = readHistory(given);
  const made = history.unanswered.map(({ call }) => answer(call.id ?? '', 'made up'));
  return { history, ...validHistory(history, made) };
}
const whats = (repairs: readonly { readonly what: string; readonly callId: string }[]) =>
  repairs.map(({ what, callId }) => `${what}: ${callId}`);
/** Kind of each message with the ids that it has, or answers. */
const shape = (messages: readonly BaseMessage[]) =>
  messages.map((message) => {
    if (AIMessage.isInstance(message)) return message.tool_calls?.map(({ id }) => id);
    return ToolMessage.isInstance(message) ? `${message.tool_call_id}: ${message.text}` : 'human';
  });

describe('a valid history', () => {
  it('stays as it is', () => {
    const given = [
      human(),
      ask('m1', 'c1', 'c2'),
      answer('c2'),
      answer('c1'),
      new AIMessage('Done.'),
    ];
    const { messages, repairs } = mended(...given);
    expect(messages).toEqual(given);
    expect(repairs).toEqual([]);
  });

  it('stays the same object, so that nothing is copied for nothing', () => {
    const history = readHistory([human(), ask('m1', 'c1'), answer('c1')]);
    expect(validHistory(history, []).messages).toBe(history.given);
  });
});

describe('answers', () => {
  it('LG-43: that are missing stand right after their message, before what was said since', () => {
    const { history, messages, repairs } = mended(
      human(),
      ask('m1', 'c1', 'c2'),
      answer('c1'),
      human(),
    );
    expect(shape(messages)).toEqual([
      'human',
      ['c1', 'c2'],
      'c1: answer to c1',
      'c2: made up',
      'human',
    ]);
    expect(whats(repairs)).toEqual(['answer added: c2']);
    expect(history.unanswered).toMatchObject([
      { messageId: 'm1', position: 1, isLeftBehind: true },
    ]);
  });

  it('that are missing where nobody said anything since are not left behind', () => {
    const { history } = mended(human(), ask('m1', 'c1'));
    expect(history.unanswered).toMatchObject([{ isLeftBehind: false }]);
  });

  it('that stand elsewhere are moved to their call', () => {
    const { messages, repairs } = mended(ask('m1', 'c1'), human(), answer('c1'));
    expect(shape(messages)).toEqual([['c1'], 'c1: answer to c1', 'human']);
    expect(whats(repairs)).toEqual(['answer moved: c1']);
  });

  it('without a call are removed', () => {
    const { messages, repairs } = mended(answer('c0'), human(), ask('m1', 'c1'), answer('c1'));
    expect(shape(messages)).toEqual(['human', ['c1'], 'c1: answer to c1']);
    expect(whats(repairs)).toEqual(['answer removed: c0']);
  });

  it('given twice become one, and what went well in the end is the truth', () => {
    const twice = (first: ToolMessage, second: ToolMessage) =>
      mended(ask('m1', 'c1'), first, second);
    const failed = answer('c1', 'failed', 'error');
    const { messages, repairs } = twice(failed, answer('c1'));
    expect(shape(messages)).toEqual([['c1'], 'c1: answer to c1']);
    expect(whats(repairs)).toEqual(['answer removed: c1']);
    expect(shape(twice(answer('c1'), failed).messages)).toEqual([['c1'], 'c1: answer to c1']);
  });

  it('belong to the nearest call before them, where turns share an id', () => {
    const { messages } = mended(
      ask('m1', 'call_0'),
      answer('call_0', 'first'),
      human(),
      ask('m2', 'call_0'),
      answer('call_0', 'second'),
    );
    expect(shape(messages).filter((one) => typeof one === 'string')).toEqual([
      'call_0: first',
      'human',
      expect.stringMatching(/^call_\w{24}: second$/),
    ]);
  });
});

describe('ids', () => {
  const fits = /^[a-zA-Z0-9_-]{1,64}$/;

  it.each(['functions.t:0|x', `c${'0'.repeat(80)}`, 'ä', 'a b'])(
    'that a provider may refuse (%s) become one that all take, always the same',
    (id) => {
      const ids = () => {
        const { messages, repairs } = mended(ask('m1', id), answer(id));
        expect(whats(repairs)).toEqual([`id replaced: ${id}`]);
        const [asked, answered] = messages as [AIMessage, ToolMessage];
        expect(asked.tool_calls?.[0]?.id).toBe(answered.tool_call_id);
        return answered.tool_call_id;
      };
      expect(ids()).toMatch(fits);
      expect(ids()).toBe(ids());
    },
  );

  it('that are missing are made, for call and answer', () => {
    const { messages } = mended(ask('m1', undefined), answer(''));
    const [asked, answered] = messages as [AIMessage, ToolMessage];
    expect(answered.tool_call_id).toMatch(fits);
    expect(asked.tool_calls?.[0]?.id).toBe(answered.tool_call_id);
    expect(answered.text).toBe('answer to ');
  });

  it('are unique even where messages share theirs', () => {
    const { messages } = mended(ask('m1', undefined), answer(''), ask('m1', undefined), answer(''));
    const ids = messages.flatMap((one) => (ToolMessage.isInstance(one) ? [one.tool_call_id] : []));
    expect(new Set(ids).size).toBe(2);
  });
});

describe('calls that nobody could read', () => {
  it('LG-47: are calls like others, and what is wrong with them is known', () => {
    const garbled = new AIMessage({
      id: 'm1',
      content: '',
      tool_calls: [{ type: 'tool_call', name: 'send_mail', args: {}, id: 'c1' }],
      invalid_tool_calls: [{ name: 'send_mail', args: '{"to": "a', id: 'c2' }],
    });
    const { history, messages, repairs } = mended(human(), garbled, answer('c1'));
    expect(shape(messages)).toEqual(['human', ['c1', 'c2'], 'c1: answer to c1', 'c2: made up']);
    expect(whats(repairs)).toEqual(['call restored: c2', 'answer added: c2']);
    expect(history.unanswered).toMatchObject([
      { call: { holdfast: { flaw: { kind: 'malformed_call', details: { echo: '{"to": "a' } } } } },
    ]);
  });
});

it('whatever stands where, the history is valid, and valid ones stay', () => {
  const id = fc.constantFrom('c1', 'c2', 'c3', 'a.b');
  const message = fc.oneof(
    fc.constant('human' as const),
    fc.array(id, { minLength: 1, maxLength: 3 }).map((ids) => ({ ask: ids })),
    id.map((answers) => ({ answers })),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (plan) => {
      const given = plan.map((one, n) => {
        if (one === 'human') return human();
        return 'ask' in one ? ask(`m${n}`, ...one.ask) : answer(one.answers);
      });
      const { messages } = mended(...given);
      const seen = new Set<string>();
      for (let at = 0; at < messages.length; at += 1) {
        const current = messages[at];
        expect(current).not.toBeInstanceOf(ToolMessage);
        if (current === undefined || !AIMessage.isInstance(current)) continue;
        for (const { id: own = '' } of current.tool_calls ?? []) {
          expect(own).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
          expect(seen.has(own)).toBe(false);
          seen.add(own);
          at += 1;
          expect(messages[at]).toMatchObject({ tool_call_id: own });
        }
      }
      const again = mended(...messages);
      expect(again.repairs).toEqual([]);
    }),
    { seed: 52, numRuns: 300 },
  );
});
