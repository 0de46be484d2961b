import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coded, desk, gist } from '../order-tools.fixture.js';
import { manualClock } from '../testing/manual-clock.js';
import { createEmitter } from './emitter.js';
import { type EventSink, eventTypes } from './event.js';
import { memorySink } from './memory-sink.js';
import { ndjsonSink } from './ndjson-sink.js';
import { renderTimeline } from './timeline.js';

const subject = { runId: 'r', intentId: 'i', tenant: 't' };
const broken: EventSink = {
  write: () => {
    throw new Error('no');
  },
  flush: () => Promise.reject(new Error('no')),
};

describe('the emitter', () => {
  it('takes secrets out of what others wrote, unless it is told not to', () => {
    const message = 'refused: Authorization: Bearer abcdefgh12345678';
    const said = (redacts?: boolean) => {
      const sink = memorySink();
      createEmitter([sink], manualClock(), redacts).emit('warning', subject, {
        code: 'tools_unread',
        message,
      });
      return sink.of('warning').map((event) => event.message);
    };
    expect(said()).toEqual(['refused: Authorization: Bearer [redacted]']);
    expect(said(false)).toEqual([message]);
  });

  it('counts every type from zero', () => {
    const emitter = createEmitter([], manualClock());
    expect(Object.entries(emitter.counts())).toEqual(
      [...eventTypes, 'dropped'].map((type) => [type, 0]),
    );
    emitter.emit('run_started', subject, { inputId: 'm' });
    expect(emitter.counts()).toMatchObject({ run_started: 1, run_finished: 0 });
  });

  it('gives each event its time and subject, to every sink', () => {
    const sinks = [memorySink(), memorySink()];
    createEmitter(sinks, manualClock(77)).emit('run_finished', subject, { status: 'complete' });
    for (const sink of sinks) {
      expect(sink.events).toEqual([
        { type: 'run_finished', at: 77, ...subject, status: 'complete' },
      ]);
    }
  });

  it('tells a sink only what it wants, and makes nothing of what nobody does', () => {
    const all = memorySink();
    const written: string[] = [];
    const some: EventSink = {
      wants: (type) => type === 'run_finished',
      write: ({ type }) => void written.push(type),
    };
    const unheard = (): never => {
      throw new Error('nobody wants it');
    };
    const emitter = createEmitter([some], manualClock());
    emitter.emit('run_started', unheard, unheard);
    emitter.emit('run_finished', subject, { status: 'complete' });
    expect(written).toEqual(['run_finished']);
    expect(emitter.counts().run_started).toBe(1);
    createEmitter([some, all], manualClock()).emit('warning', subject, {
      code: 'tools_unread',
      message: 'no list',
    });
    expect(written).toEqual(['run_finished']);
    expect(all.of('warning').length).toBe(1);
  });

  it('drops what a sink refuses, counts it, and goes on', async () => {
    const sink = memorySink();
    const emitter = createEmitter([broken, sink], manualClock());
    emitter.emit('run_started', subject, { inputId: 'm' });
    await emitter.flush();
    expect(sink.events.length).toBe(1);
    expect(emitter.counts().dropped).toBe(2);
  });

  it('hands out counts that nobody can change', () => {
    const emitter = createEmitter([], manualClock());
    Object.assign(emitter.counts(), { warning: 9 });
    expect(emitter.counts().warning).toBe(0);
  });
});

describe('a sink that throws', () => {
  it('disturbs no call', async () => {
    const { run, guard } = desk({ events: [broken] });
    const answer = await run(() =>
      guard.call(
        { tool: 'send_mail', args: { to: 'a', subject: 's' }, callId: 'c1' },
        async () => 'sent',
      ),
    );
    expect(gist(answer)).toBe('ok');
    const { dropped, ...counts } = guard.counts();
    expect(dropped).toBe(Object.values(counts).reduce((sum, count) => sum + count, 0));
    await guard.close();
  });
});

describe('the memory sink', () => {
  it('keeps the last events, and gives those of one type', () => {
    const sink = memorySink(2);
    const emitter = createEmitter([sink], manualClock());
    for (const inputId of ['a', 'b', 'c']) emitter.emit('run_started', subject, { inputId });
    expect(sink.of('run_started').map((event) => event.inputId)).toEqual(['b', 'c']);
    expect(sink.of('warning')).toEqual([]);
  });
});

describe('the NDJSON sink', () => {
  it('appends a line for each event and flushes', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'holdfast-events-'));
    try {
      const file = join(directory, 'events.ndjson');
      for (const inputId of ['a', 'b\nc']) {
        const emitter = createEmitter([ndjsonSink(file)], manualClock(1));
        emitter.emit('run_started', subject, { inputId });
        await emitter.flush();
      }
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line).inputId)).toEqual(['a', 'b\nc']);
      if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('opens nothing before the first event', async () => {
    await ndjsonSink('/no/such/directory/events.ndjson').flush?.();
  });

  it('that cannot write drops its events', async () => {
    const emitter = createEmitter([ndjsonSink('/no/such/directory/x.ndjson')], manualClock());
    emitter.emit('run_started', subject, { inputId: 'a' });
    await emitter.flush();
    emitter.emit('run_started', subject, { inputId: 'b' });
    await emitter.flush();
    expect(emitter.counts().dropped).toBe(1);
  });
});

describe('the timeline', () => {
  it('of nothing is empty', () => {
    expect(renderTimeline([])).toBe('');
  });

  it('tells a call as a story', async () => {
    const { run, guard, events, after } = desk();
    let ran = 0;
    await after(
      1_000,
      run(() =>
        guard.call(
          { tool: 'send_mail', args: { to: 'a', subject: 's' }, callId: 'c1' },
          async () => {
            ran += 1;
            throw coded(ran === 1 ? 'ECONNREFUSED' : 'ECONNRESET');
          },
        ),
      ),
    );
    const lines = renderTimeline(events.events).replaceAll(/\[[0-9a-f]{8}\]/g, '[key]');
    expect(lines.split('\n')).toEqual([
      '   0.000 s  send_mail       called (irreversible)',
      '   0.000 s  send_mail       written to the ledger before the effect [key]',
      '   0.000 s  send_mail       attempt 1',
      '   0.000 s  send_mail       attempt 1 failed: transport_lost',
      '   0.000 s  send_mail       will try again in 125 ms',
      '   0.125 s  send_mail       attempt 2',
      '   0.125 s  send_mail       attempt 2 unknown: transport_lost',
      '   0.125 s  send_mail       not tried again: it may have had its effect, and nothing protects a second sending',
      '   0.125 s  send_mail       ledger: unknown, by attempt [key]',
      '   0.125 s  send_mail       answered: unknown, transport_lost [key]',
    ]);
  });

  it('has words for every type', () => {
    const sink = memorySink();
    const emitter = createEmitter([sink], manualClock());
    emitter.emit('run_started', subject, { inputId: 'm' });
    emitter.emit('run_resumed', subject, { skipped: [], unknown: [] });
    emitter.emit('run_finished', subject, { status: 'partial' });
    emitter.emit('call_started', subject, {});
    emitter.emit('effect_folded', subject, { how: 'ahead' });
    emitter.emit('effect_probed', subject, { found: 'cannot-tell', why: 'away' });
    emitter.emit('effect_probed', subject, { found: 'one' });
    emitter.emit('warning', subject, { code: 'no_barrier', message: 'none here' });
    expect(
      renderTimeline(sink.events)
        .split('\n')
        .map((line) => line.slice(12)),
    ).toEqual([
      'run r started',
      'run r resumed; 0 effects already done, 0 unknown',
      'run finished: partial',
      'called (no such tool)',
      'answered from the ledger (ahead)',
      'asked the other side: it cannot tell (away)',
      'asked the other side: it was done',
      'warning no_barrier: none here',
    ]);
  });
});
