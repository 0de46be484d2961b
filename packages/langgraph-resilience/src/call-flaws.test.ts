import { AIMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { flawOf, withFlaws } from './call-flaws.js';

const all = (): boolean => true;
const call = { type: 'tool_call' as const, name: 'send_mail', args: { to: 'a' }, id: 'c1' };
const flawsIn = ({ tool_calls: calls = [] }: AIMessage) => calls.map(flawOf);

describe('calls that must not be made', () => {
  it('are none of a message without flaws, which stays the same object', () => {
    const given = new AIMessage({ content: '', tool_calls: [call] });
    expect(withFlaws(given, all)).toBe(given);
  });

  it.each([
    ['{"to": "a', 9],
    ['{"to" "a"}', 6],
    ['', 0],
  ])('LG-47: one whose arguments are %j breaks at %i', (args, position) => {
    const given = new AIMessage({
      id: 'm1',
      content: '',
      invalid_tool_calls: [{ name: 'send_mail', id: 'c1', args }],
    });
    const whole = withFlaws(given, all);
    expect(whole.tool_calls).toMatchObject([{ name: 'send_mail', id: 'c1', args: {} }]);
    expect(whole.invalid_tool_calls).toEqual([]);
    expect(flawsIn(whole)).toEqual([{ kind: 'malformed_call', details: { position, echo: args } }]);
    expect(withFlaws(whole, all)).toBe(whole);
  });

  it('LG-47: long arguments are echoed in short, a name that is missing is made up', () => {
    const given = new AIMessage({
      content: '',
      invalid_tool_calls: [{ args: `[${'1,'.repeat(500)}` }],
    });
    const [restored] = withFlaws(given, all).tool_calls ?? [];
    expect(restored).toMatchObject({ name: 'unreadable' });
    expect(restored && flawOf(restored)?.details).toMatchObject({
      echo: expect.stringMatching(/^.{200}…$/),
    });
  });

  it('LG-47: unreadable structured output is none of ours', () => {
    const given = new AIMessage({
      content: '',
      invalid_tool_calls: [{ name: 'extract', id: 'c1', args: '{' }],
    });
    expect(withFlaws(given, (name) => name === 'send_mail')).toBe(given);
  });

  it('LG-49: all of a message that was cut off are marked, readable or not', () => {
    const given = new AIMessage({
      content: '',
      tool_calls: [call],
      invalid_tool_calls: [{ name: 'send_mail', id: 'c2', args: '{"to":' }],
      response_metadata: { finish_reason: 'length' },
    });
    const whole = withFlaws(given, all);
    expect(flawsIn(whole)).toEqual([
      { kind: 'output_truncated', details: { finishReason: 'length' } },
      { kind: 'output_truncated', details: { finishReason: 'length', echo: '{"to":' } },
    ]);
    expect(whole.tool_calls?.[0]).toMatchObject(call);
    expect(withFlaws(whole, all)).toBe(whole);
  });
});
