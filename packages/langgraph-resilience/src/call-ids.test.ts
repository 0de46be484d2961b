import { AIMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { idForPosition, withCallIds, withOwnCallIds } from './call-ids.js';

const call = (id: string | undefined, to = 'a') => ({
  type: 'tool_call' as const,
  name: 'send_mail',
  args: { to },
  ...(id === undefined ? {} : { id }),
});
const message = (...ids: (string | undefined)[]): AIMessage =>
  new AIMessage({ id: 'm1', content: '', tool_calls: ids.map((id) => call(id)) });
const idsOf = ({ tool_calls: calls }: AIMessage) => calls?.map(({ id }) => id);
const numbered = (position: number): string => `n${position}`;

describe('ids of calls', () => {
  it('that are unique stay, and the message with them', () => {
    const given = message('x', 'y');
    expect(withOwnCallIds(given, new Set(['z']), numbered)).toBe(given);
  });

  it.each([
    ['missing', [undefined, 'x'], ['n0', 'x']],
    ['empty', ['', 'x'], ['n0', 'x']],
    ['given twice', ['x', 'x', 'x'], ['x', 'n1', 'n2']],
    ['in use elsewhere', ['taken', 'x'], ['n0', 'x']],
  ])('that are %s are made', (_, given, expected) => {
    expect(idsOf(withOwnCallIds(message(...given), new Set(['taken']), numbered))).toEqual(
      expected,
    );
  });

  it('are the same for the same place, and fit every provider', () => {
    expect(idForPosition('m1', 0)).toBe(idForPosition('m1', 0));
    expect(idForPosition('m1', 0)).not.toBe(idForPosition('m1', 1));
    expect(idForPosition('m1', 0)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  it('change in everything of the message that repeats them, and nothing else does', () => {
    const given = new AIMessage({
      id: 'm1',
      name: 'agent',
      content: [
        { type: 'text', text: 'Two mails.' },
        { type: 'tool_use', id: 'x', name: 'send_mail', input: { to: 'a' } },
        { type: 'tool_use', id: 'x', name: 'send_mail', input: { to: 'b' } },
        { type: 'tool_use', id: 'other', name: 'theirs', input: {} },
      ],
      tool_calls: [call('x'), call('x', 'b')],
      invalid_tool_calls: [{ id: 'bad', name: 'send_mail', args: '{' }],
      additional_kwargs: {
        reasoning: 'short',
        tool_calls: [
          { id: 'x', type: 'function', function: { name: 'send_mail', arguments: '{"to":"a"}' } },
          { id: 'x', type: 'function', function: { name: 'send_mail', arguments: '{"to":"b"}' } },
        ],
      },
      response_metadata: { finish_reason: 'tool_calls' },
    });
    const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    Object.assign(given, { usage_metadata: usage });
    const changed = withCallIds(given, ['p', 'q']);
    expect(idsOf(changed)).toEqual(['p', 'q']);
    expect(changed.content).toMatchObject([
      { text: 'Two mails.' },
      { id: 'p' },
      { id: 'q' },
      { id: 'other' },
    ]);
    expect(changed.additional_kwargs.tool_calls?.map(({ id }) => id)).toEqual(['p', 'q']);
    const { id, name, response_metadata, usage_metadata, invalid_tool_calls } = given;
    expect(changed).toMatchObject({
      id,
      name,
      response_metadata,
      usage_metadata,
      invalid_tool_calls,
    });
    expect(changed.additional_kwargs.reasoning).toBe('short');
    expect(idsOf(given)).toEqual(['x', 'x']);
  });
});
