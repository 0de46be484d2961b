import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { messagesIn } from './graph-messages.js';
import { decodeInput, encodeInput, enteringInput } from './run-input.js';

let ids = 0;
const newId = (): string => {
  ids += 1;
  return `id${ids}`;
};

function entered(input: unknown) {
  const entering = enteringInput(input, newId);
  if (entering === undefined) throw new Error('it does not enter');
  return entering;
}

describe('an input that enters', () => {
  it.each([
    ['null', null],
    ['nothing', undefined],
    ['a command', new Command({ resume: 'yes' })],
  ])('is not %s: that continues a run', (_, input) => {
    expect(enteringInput(input, newId)).toBeUndefined();
  });

  it('keeps the id of the caller`s message', () => {
    const { id, graphInput } = entered({
      messages: [new HumanMessage({ id: 'h1', content: 'Hi.' })],
    });
    expect(id).toBe('h1');
    expect(messagesIn(graphInput)?.map((message) => message.id)).toEqual(['h1']);
  });

  it.each([
    ['a text', 'Hi.'],
    ['a message', new HumanMessage('Hi.')],
    ['a list of texts', ['Hi.']],
    ['roles', [{ role: 'user', content: 'Hi.' }]],
    ['pairs', [['user', 'Hi.']]],
  ])('says the same as %s', (_, messages) => {
    expect(entered({ messages }).digest).toBe(entered({ messages: 'Hi.' }).digest);
  });

  it('gives its message an id that is stored with it', async () => {
    const { id, graphInput } = entered({ messages: [new HumanMessage('Hi.')], other: 1 });
    const bytes = await encodeInput({ graphInput, id, digest: '' });
    const back = await decodeInput(bytes ?? new Uint8Array());
    expect(messagesIn(back)?.map((message) => message.id)).toEqual([id]);
    expect(back).toMatchObject({ other: 1 });
  });

  it('is identified by its last human message', () => {
    const { id } = entered({
      messages: [
        new HumanMessage({ id: 'h1', content: 'One.' }),
        new AIMessage({ id: 'a1', content: 'Yes?' }),
        new HumanMessage({ id: 'h2', content: 'Two.' }),
      ],
    });
    expect(id).toBe('h2');
  });

  it('without a conversation is the whole of it', () => {
    const [first, second] = [entered({ topic: 'bees' }), entered({ topic: 'bees' })];
    expect(first.digest).toBe(second.digest);
    expect(first.id).not.toBe(second.id);
    expect(first.digest).not.toBe(entered({ topic: 'wasps' }).digest);
    expect(entered('plain text').graphInput).toBe('plain text');
    expect(entered({ messages: [{ strange: true }] }).digest).toMatch(/^[0-9a-f]{64}$/);
  });
});
