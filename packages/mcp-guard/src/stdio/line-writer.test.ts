import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { LineWriter } from './line-writer.js';

it('says once that its reader does not keep up, and once that it does again', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const told: boolean[] = [];
  const writer = new LineWriter(stream, (isFull) => told.push(isFull));
  const mebibyte = 'x'.repeat(1024 * 1024);
  for (let line = 0; line < 3; line += 1) writer.write(mebibyte);
  expect(told).toEqual([]);
  writer.write(mebibyte);
  writer.write(mebibyte);
  writer.write(mebibyte);
  expect(told).toEqual([true]);
  let bytes = 0;
  const read = new Promise<void>((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes === 6 * (mebibyte.length + 1)) resolve();
    });
  });
  await read;
  expect(told).toEqual([true, false]);
});
