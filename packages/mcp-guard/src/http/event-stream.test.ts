import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventsOf, type Streamed } from './event-stream.js';

async function* chunks(...parts: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

async function read(body: AsyncIterable<Uint8Array>, capBytes?: number): Promise<Streamed[]> {
  const found: Streamed[] = [];
  for await (const streamed of eventsOf(body, capBytes)) found.push(streamed);
  return found;
}

const text = ': hello\r\nid: 1\ndata: \n\nretry: 50\nevent: message\nid: 2\ndata: {"a":"ä€😀"}\n\n';

describe('a stream of events', () => {
  it('gives messages, ids and waits; comments and events of other kinds are nothing', async () => {
    expect(await read(chunks(text, 'event: ping\ndata: x\n\n: keepalive\n\n'))).toEqual([
      { id: '1', data: '' },
      { retryMs: 50 },
      { id: '2', data: '{"a":"ä€😀"}' },
    ]);
  });

  it('is the same however it is cut', async () => {
    const whole = await read(chunks(text));
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const parts = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(await read(chunks(...parts))).toEqual(whole);
      }),
    );
  });

  it('may begin with a byte order mark', async () => {
    const mark = Buffer.from('\ufeff');
    const parts = [mark.subarray(0, 2), mark.subarray(2), 'data: \ufeff1\n\n'];
    expect(await read(chunks(...parts))).toEqual([{ id: undefined, data: '\ufeff1' }]);
  });

  it('loses what is cut off at its end', async () => {
    expect(await read(chunks('data: 1\n\ndata: 2\n'))).toEqual([{ id: undefined, data: '1' }]);
  });

  it('ends with an event that is longer than a message may be, and not with several that are not', async () => {
    const event = `data: ${'x'.repeat(80)}\n\n`;
    expect(await read(chunks(event, event, event), 100)).toHaveLength(3);
    const long = await read(chunks(event, `data: ${'x'.repeat(60)}`, 'x'.repeat(60), event), 100);
    expect(long).toEqual([{ id: undefined, data: 'x'.repeat(80) }, { oversizedBytes: 126 }]);
  });

  it('is read in linear time', async () => {
    async function* long() {
      yield Buffer.from('data: ');
      for (let at = 0; at < 4_000; at += 1) yield Buffer.alloc(4_096, 'x');
      yield Buffer.from('\n\n');
    }
    const [event] = await read(long());
    expect(event !== undefined && 'data' in event && event.data.length).toBe(4_000 * 4_096);
  });
});
