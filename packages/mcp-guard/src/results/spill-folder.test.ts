import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock } from '@holdfast/call-guard/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { ResultReader } from './result-reader.js';
import { SpillFolder } from './spill-folder.js';

const DAY = 86_400_000;
const base = mkdtempSync(join(tmpdir(), 'spill-'));
afterEach(() => rmSync(base, { recursive: true, force: true }));

function setting() {
  const clock = manualClock();
  const folder = join(base, 'results');
  const open = () => new SpillFolder(folder, clock);
  return { clock, folder, open, spill: open() };
}

describe('a text that is kept', () => {
  it('is read in ranges of characters, by another process too', async () => {
    const { spill, open } = setting();
    const ref = (await spill.keep('0123456789é中')) ?? expect.unreachable();
    expect(await spill.read(ref, 8, 3)).toEqual({ text: '89é', from: 8, of: 12 });
    expect(await open().read(ref, 11, 100)).toEqual({ text: '中', from: 11, of: 12 });
    expect(await spill.read(ref, 12, 5)).toEqual({ text: '', from: 12, of: 12 });
    expect(await spill.read(ref, 99, 5)).toEqual({ text: '', from: 12, of: 12 });
  });

  it('may be kept several times at once, and leaves nothing half written', async () => {
    const { spill, folder } = setting();
    const refs = await Promise.all(Array.from({ length: 8 }, () => spill.keep('the same')));
    expect(new Set(refs).size).toBe(1);
    expect(refs[0]).toBeDefined();
    expect(readdirSync(folder)).toEqual([`${refs[0]}.utf16le`]);
  });

  it('is not cut inside of a character', async () => {
    const { spill } = setting();
    const ref = (await spill.keep('a😀b')) ?? expect.unreachable();
    expect(await spill.read(ref, 0, 2)).toMatchObject({ text: 'a' });
    expect(await spill.read(ref, 1, 2)).toMatchObject({ text: '😀' });
  });

  it('is for its user alone', async () => {
    const { spill, folder } = setting();
    await spill.keep('secret');
    const [file = ''] = readdirSync(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it('has the same name each time, and no name leads out of the folder', async () => {
    const { spill, folder } = setting();
    const ref = await spill.keep('same');
    expect(await spill.keep('same')).toBe(ref);
    expect(await spill.keep('other')).not.toBe(ref);
    expect(readdirSync(folder)).toHaveLength(2);
    for (const name of ['../ledger.db', `../${ref}`, '', 'x'.repeat(22)]) {
      expect(await spill.read(name, 0, 9)).toBeUndefined();
    }
  });

  it('is gone after a day without use', async () => {
    const { spill, folder, clock } = setting();
    const ref = (await spill.keep('old')) ?? expect.unreachable();
    await clock.advance(DAY - 1);
    expect(await spill.read(ref, 0, 9)).toMatchObject({ text: 'old' });
    await clock.advance(DAY);
    expect(await spill.read(ref, 0, 9)).toBeUndefined();
    await spill.keep('new');
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('that nobody can write is not kept', async () => {
    const spill = new SpillFolder(join(base, 'no\0folder'), manualClock());
    expect(await spill.keep('x')).toBeUndefined();
  });
});

describe('the tool that reads it', () => {
  it('gives a range, and says how to go on', async () => {
    const { spill } = setting();
    const reader = new ResultReader(spill, 'desk', 4_096);
    const ref = await reader.keep('x'.repeat(3_000));
    const first = JSON.parse(await reader.read({ ref }));
    expect(first.content[0].text).toHaveLength(1_024);
    expect(first.content[1].text).toContain(
      `0 to 1024 of 3000. Go on with {"ref":"${ref}","from":1024}`,
    );
    const last = JSON.parse(await reader.read({ ref, from: 2_990, count: 50 }));
    expect(last.content[0].text).toBe('x'.repeat(10));
    expect(last.content[1].text).not.toContain('Go on');
  });

  it('says what is wrong', async () => {
    const reader = new ResultReader(setting().spill, 'desk');
    const said = async (args: unknown) => JSON.parse(await reader.read(args));
    expect(await said({ ref: 'x'.repeat(22) })).toMatchObject({ isError: true });
    const wrong = await said({ from: -1, other: 1 });
    expect(wrong.isError).toBe(true);
    for (const name of ['ref', 'from', 'other']) expect(wrong.content[0].text).toContain(name);
  });

  it('has a name of its own for each server, and a list shows it', () => {
    const { spill } = setting();
    const named = (server: string) => new ResultReader(spill, server);
    expect(named('a').name).toMatch(/^read_result_[0-9a-f]{8}$/);
    expect(named('a').name).not.toBe(named('b').name);
    expect(JSON.parse(named('a').definition)).toMatchObject({ name: named('a').name });
  });
});
