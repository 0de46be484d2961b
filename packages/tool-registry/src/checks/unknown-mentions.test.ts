import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, read } from '../index.js';
import { base, findingsOf } from './one-tool.fixture.js';

const getOrder = defineTool({
  ...base,
  name: 'get_order',
  output: z.object({ delivery_slot: z.enum(['day_time', 'set_apart']) }),
  idempotency: read(),
});
const findings = (summary: string, more: Record<string, unknown> = {}) =>
  findingsOf(
    'unknown-mentions',
    getOrder,
    defineTool({ ...base, ...more, name: 'send_mail', summary, idempotency: read() }),
  );

describe('a text that mentions a tool', () => {
  it('which is not there is told', () => {
    expect(findings('Call `cancel_order` first.')).toEqual([
      "tools.send_mail.summary: it mentions 'cancel_order', which is no tool here. name a registered tool",
    ]);
    expect(findings('Call get_orders first.')).toEqual([
      "tools.send_mail.summary: it mentions 'get_orders', which is no tool here. did you mean 'get_order'?",
    ]);
  });

  it('is read wherever a person wrote it', () => {
    const more = {
      useWhen: 'After `find_buyer`.',
      avoidWhen: 'Before `find_buyer`.',
      input: z.object({ id: z.string().describe('from `find_buyer`') }),
      examples: [{ args: { id: '1' }, note: 'as `find_buyer` gives it' }],
    };
    expect(findings('s', more).map((finding) => finding.split(':')[0])).toEqual([
      'tools.send_mail.useWhen',
      'tools.send_mail.avoidWhen',
      'tools.send_mail.examples[0].note',
      'tools.send_mail.input.id',
    ]);
  });

  it('that is registered is in order', () => {
    expect(findings('Call `get_order` before send_mail.')).toEqual([]);
  });

  it.each([
    'Takes `order_id` and `start_date`, `create_time`, and user_name.',
    'Gives `delivery_slot`, which is `day_time` or `set_apart`.',
    'See docs/get_orders.md, https://x.example/get_orders or get_orders@x.example.',
    'In get_orders.json, or as `get_orders.rows`.',
    'Words like read_only, snake_case and `snake_case` are none.',
  ])('is not found in: %s', (summary) => {
    expect(findings(summary)).toEqual([]);
  });
});
