import { AIMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { cutOff, withEnd } from './cut-off.js';

const message = (metadata: object, more: object = {}): AIMessage =>
  new AIMessage({
    content: '',
    response_metadata: { ...metadata },
    additional_kwargs: { ...more },
  });

describe('LG-49: a message that was cut off', () => {
  it.each([
    ['OpenAI', { finish_reason: 'length' }, {}, 'length'],
    [
      'OpenAI`s responses',
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      {},
      'max_output_tokens',
    ],
    ['Anthropic', { stop_reason: 'max_tokens' }, {}, 'max_tokens'],
    ['Anthropic, streamed', {}, { stop_reason: 'max_tokens' }, 'max_tokens'],
    ['Google', { finishReason: 'MAX_TOKENS' }, {}, 'MAX_TOKENS'],
    ['Bedrock', { stopReason: 'max_tokens' }, {}, 'max_tokens'],
    ['Ollama', { done_reason: 'length' }, {}, 'length'],
  ])('by %s is known by its reason', (_, metadata, more, reason) => {
    expect(cutOff(message(metadata, more))).toBe(reason);
  });

  it.each([
    [{ finish_reason: 'tool_calls' }],
    [{ stop_reason: 'tool_use' }],
    [{ status: 'completed', incomplete_details: null }],
    [{}],
  ])('is not one that ended with %j', (metadata) => {
    expect(cutOff(message(metadata))).toBeUndefined();
  });
});

describe('LG-56: a stream that closed without a word about its end', () => {
  it.each(['openai', 'anthropic'])('of %s was cut off', (model_provider) => {
    const silent = message({ model_provider });
    silent.response_metadata = withEnd(silent, { prompt: 0 });
    expect(cutOff(silent)).toBe('stream closed');
  });

  it('of a provider that need not say so tells nothing', () => {
    expect(withEnd(message({ model_provider: 'own' }), undefined)).toEqual({
      model_provider: 'own',
    });
  });

  it('is not one whose end stands beside the message', () => {
    const given = message({ model_provider: 'openai' });
    given.response_metadata = withEnd(given, { finish_reason: 'length' });
    expect(cutOff(given)).toBe('length');
    given.response_metadata = withEnd(given, { finish_reason: 'stop' });
    // What the message itself says comes first.
    expect(given.response_metadata.finish_reason).toBe('length');
  });
});
