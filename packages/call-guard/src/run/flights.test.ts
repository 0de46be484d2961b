import { describe, expect, it } from 'vitest';
import { failed } from '../next-step.js';
import { manualClock } from '../testing/manual-clock.js';
import { Flights, type Lead, type Turn } from './flights.js';

const lost = failed('transport_lost', 'none', { sent: false });
const PATIENT = { leftMs: () => Number.POSITIVE_INFINITY };
const unknown = failed('timed_out', 'unknown', { limit: 'tool', afterMs: 1, stillRunning: true });

async function lead(flights: Flights, wish = 'w'): Promise<Lead> {
  const turn = await flights.take(wish, PATIENT);
  if (turn.turn !== 'lead') throw new Error(turn.turn);
  return turn.lead;
}

describe('calls of one wish', () => {
  it('lead one at a time, in the order in which they came', async () => {
    const flights = new Flights(manualClock());
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3].map(async (n) => {
        const turn = await flights.take('w', PATIENT);
        if (turn.turn !== 'lead') throw new Error(turn.turn);
        order.push(n);
        await Promise.resolve();
        turn.lead.end();
      }),
    );
    expect(order).toEqual([1, 2, 3]);
  });

  it('do not wait for those of another', async () => {
    const flights = new Flights(manualClock());
    await lead(flights, 'a');
    await lead(flights, 'b');
  });

  it('share a failure that is certain', async () => {
    const flights = new Flights(manualClock());
    const first = await lead(flights);
    const second = flights.take('w', PATIENT);
    first.end(lost);
    expect(await second).toEqual({ turn: 'shared', failure: lost });
    await lead(flights);
  });

  it('after one that is uncertain ask the ledger', async () => {
    const flights = new Flights(manualClock());
    const first = await lead(flights);
    const second = flights.take('w', PATIENT);
    first.end(unknown);
    expect((await second).turn).toBe('lead');
  });

  it('wait for an answer that may still come, then lead', async () => {
    const clock = manualClock();
    const flights = new Flights(clock);
    const first = await lead(flights);
    let arrive: () => void = () => {};
    first.flight.late = new Promise((resolve) => {
      arrive = resolve;
    });
    let turn: Turn | undefined;
    first.end(unknown);
    const second = flights.take('w', { ...PATIENT, lateMs: 100 }).then((given) => {
      turn = given;
    });
    await clock.advance(99);
    expect(turn).toBeUndefined();
    arrive();
    await second;
    expect(turn?.turn).toBe('lead');
    expect(clock.pending()).toBe(0);
  });

  it('when their patience is over, one leads and the others follow it', async () => {
    const clock = manualClock();
    const flights = new Flights(clock);
    const first = await lead(flights);
    first.flight.late = new Promise(() => {});
    first.end(unknown);
    const turns: Turn[] = [];
    const take = async () => void turns.push(await flights.take('w', { ...PATIENT, lateMs: 100 }));
    const all = [take(), take(), take()];
    await clock.advance(100);
    expect(turns.map(({ turn }) => turn)).toEqual(['lead']);
    for (let i = 0; i < 3; i += 1) {
      const turn = turns[i];
      if (turn?.turn === 'lead') turn.lead.end(unknown);
      await clock.advance(0);
    }
    await Promise.all(all);
    expect(turns.map(({ turn }) => turn)).toEqual(['lead', 'lead', 'lead']);
    expect(clock.pending()).toBe(0);
  });

  it.each(['before', 'while'])('whose caller gives up %s waiting are cancelled', async (when) => {
    const clock = manualClock();
    const flights = new Flights(clock);
    const first = await lead(flights);
    const caller = new AbortController();
    if (when === 'before') caller.abort();
    const second = flights.take('w', { ...PATIENT, signal: caller.signal });
    await clock.advance(0);
    caller.abort();
    expect(await second).toEqual({ turn: 'cancelled' });
    first.flight.late = new Promise(() => {});
    first.end(unknown);
    const later = new AbortController();
    const third = flights.take('w', { ...PATIENT, signal: later.signal, lateMs: 100 });
    await clock.advance(50);
    later.abort();
    expect(await third).toEqual({ turn: 'cancelled' });
    expect(clock.pending()).toBe(0);
  });

  it('wait no longer than they may take, for however many', async () => {
    const clock = manualClock();
    const flights = new Flights(clock);
    const first = await lead(flights);
    const endsAt = clock.monotonicMs() + 100;
    const brief = { leftMs: () => endsAt - clock.monotonicMs() };
    const second = flights.take('w', PATIENT);
    const third = flights.take('w', brief);
    await clock.advance(60);
    first.end(unknown);
    expect(await second).toMatchObject({ turn: 'lead' });
    await clock.advance(40);
    expect(await third).toEqual({ turn: 'out-of-time' });
    expect(clock.pending()).toBe(0);
  });
});
