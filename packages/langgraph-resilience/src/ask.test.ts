import { isSetupError } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { desk } from './adapter.fixture.js';

describe('the option ask', () => {
  it('is interrupt or message', () => {
    let refused: unknown;
    try {
      desk({ ask: 'mail' as never });
    } catch (error) {
      refused = error;
    }
    if (!isSetupError(refused, 'option_out_of_range')) throw new Error('not refused');
    expect([refused.field, refused.reason, refused.fix]).toEqual([
      'ask',
      "'mail' is none of them",
      'give one of interrupt, message',
    ]);
    expect(desk().guard.parts.ask).toBe('interrupt');
  });
});
