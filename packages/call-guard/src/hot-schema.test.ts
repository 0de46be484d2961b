import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HotSchema } from './hot-schema.js';

/** The schema after so many checks that it was compiled, if it can be. */
function used(schema: z.ZodType): z.ZodType {
  const hot = new HotSchema(schema);
  for (let checks = 0; checks < 99; checks += 1) hot.forCheck();
  return hot.forCheck();
}

afterEach(() => {
  z.config({ jitless: false });
});

describe('a schema that is used often', () => {
  const order = z.object({
    id: z.string().min(2),
    limit: z.coerce.number().max(100).default(20),
    placed: z.object({ from: z.iso.date() }).optional(),
    tags: z.array(z.enum(['new', 'old'])).transform((tags) => tags.join()),
  });

  it('is compiled after its first checks', () => {
    const hot = new HotSchema(order);
    const given = Array.from({ length: 100 }, () => hot.forCheck());
    expect(given.indexOf(hot.forCheck())).toBe(63);
    expect(given.slice(0, 63).every((schema) => schema === order)).toBe(true);
    expect(hot.forCheck()).not.toBe(order);
  });

  it.each<[string, unknown]>([
    [
      'what is right',
      { id: 'o1', limit: '3', tags: ['new', 'old'], placed: { from: '2026-01-01' } },
    ],
    ['what it leaves out, or fills in', { id: 'o1', tags: [], more: 1 }],
    ['what is wrong', { id: 'o', limit: 101, tags: ['new', 'odd'], placed: { from: 'now' } }],
    ['what is nothing', undefined],
  ])('says the same of %s', (_, value) => {
    const [before, after] = [order.safeParse(value), used(order).safeParse(value)];
    expect(after.success).toBe(before.success);
    expect(after.data).toEqual(before.data);
    expect(after.error?.issues).toEqual(before.error?.issues);
  });

  it('stays as it is where it cannot be compiled', () => {
    const asynchronous = z.string().refine(async () => true);
    expect(used(asynchronous)).toBe(asynchronous);
    const older = z.string();
    Object.assign(older._zod, { version: { major: 4, minor: 0, patch: 0 } });
    expect(used(older)).toBe(older);
  });

  it('stays as it is where no code may be made', () => {
    z.config({ jitless: true });
    expect(used(order)).toBe(order);
  });
});
