import { PassThrough } from 'node:stream';
import { createGuard } from '@holdfast/call-guard';
import { manualClock } from '@holdfast/call-guard/testing';
import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry } from '@holdfast/tool-registry';
import { expect, it } from 'vitest';
import type { UpstreamEvents } from '../proxy/upstream.js';
import { runStdioProxy } from './stdio-proxy.js';

/** A proxy whose host and server are the test. */
function setting() {
  const clock = manualClock();
  const input = new PassThrough();
  const output = new PassThrough({ highWaterMark: 1 });
  const held: boolean[] = [];
  const sent: string[] = [];
  let upstream: UpstreamEvents | undefined;
  const stop = new AbortController();
  const over = runStdioProxy(
    {
      guard: createGuard({
        registry: defineRegistry({ name: 'none', tools: [], resourceGroups: {} }),
        ledger: memoryLedger({ now: clock.wallMs }),
        clock,
      }),
      server: 'desk',
      input,
      output,
      log: new PassThrough(),
      connect(events) {
        upstream = events;
        return {
          carriesHeaders: false,
          send: ({ text }) => sent.push(text),
          ready: async () => {},
          giveUp: () => {},
          hold: (isHeld) => held.push(isHeld),
          close: async () => {},
        };
      },
    },
    stop.signal,
  );
  return {
    input,
    output,
    held,
    sent,
    over,
    upstream: () => upstream ?? expect.unreachable(),
    stop: () => stop.abort(),
    settled: () => clock.advance(0),
  };
}

const notification = (size: number) =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: 'x'.repeat(size) });

it('a host that does not read holds its server up, and is not read from, until it has read', async () => {
  const { input, output, held, sent, upstream, settled, stop, over } = setting();
  for (let line = 0; line < 6; line += 1) {
    upstream().onMessage({ line: notification(1024 * 1024) });
  }
  expect(held).toEqual([true]);
  input.write(`${notification(1)}\n`);
  await settled();
  expect(sent).toEqual([]);
  output.resume();
  await settled();
  expect(held).toEqual([true, false]);
  expect(sent).toEqual([notification(1)]);
  stop();
  expect(await over).toEqual({ ended: 'host-left' });
});

it('a server that does not read is given no more, until it has read', async () => {
  const { input, sent, upstream, settled } = setting();
  upstream().onFull?.(true);
  input.write(`${notification(1)}\n`);
  await settled();
  expect(sent).toEqual([]);
  upstream().onFull?.(false);
  await settled();
  expect(sent).toEqual([notification(1)]);
});
