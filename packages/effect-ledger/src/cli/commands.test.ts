import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EffectKey } from '../effect.js';
import { type LedgerReader, ledgerReader } from '../sqlite/ledger-reader.js';
import { openToRead } from '../sqlite/open-to-read.js';
import { sqliteLedger } from '../sqlite/sqlite-ledger.js';
import type { LedgerStore } from '../store.js';
import { capturedTerminal } from '../testing/captured-terminal.js';
import { begun, run1, run2, writeScene } from '../testing/ledger-scene.js';
import { newFolder } from '../testing/sqlite-file.js';
import { askedArgument } from './argument-search.js';
import { CommandError } from './command-error.js';
import type { FindCommand, ListCommand, ShowCommand } from './command-line.js';
import { effectJson } from './effect-form.js';
import { effectStory } from './effect-story.js';
import { find } from './find.js';
import { list } from './list.js';
import { show } from './show.js';

const terminal = capturedTerminal();
const common = { file: 'agent.db', limit: 20, json: false };

let file: string;
let remove: () => void;
let ledger: LedgerStore;
let reader: LedgerReader;
let keys: readonly EffectKey[];
beforeAll(async () => {
  const made = newFolder();
  remove = made.remove;
  file = join(made.folder, 'agent.db');
  let now = begun;
  ledger = sqliteLedger(file, { now: () => (now += 10) });
  keys = await writeScene(ledger);
  reader = ledgerReader(openToRead(file));
});
afterAll(async () => {
  reader.close();
  await ledger.close();
  remove();
});

describe('list', () => {
  const listed = (change: Partial<ListCommand> = {}) => {
    list(reader, { command: 'list', ...common, ...change }, terminal);
    return terminal.taken();
  };
  const runsListed = (change: Partial<ListCommand>) =>
    JSON.parse(listed({ ...change, json: true })).runs.map(
      ({ runId }: { readonly runId: string }) => runId,
    );

  it('shows runs, last active first, with what became of their effects', () => {
    expect(listed().split('\n')).toEqual([
      'RUN             THREAD  STATUS    EFFECTS                           LAST ACTIVE (UTC)',
      'run_2222222222  007     complete  1 succeeded                       2026-03-01 12:00:00',
      'run_1111111111  007     open      1 failed, 1 succeeded, 1 unknown  2026-03-01 12:00:00',
      '',
    ]);
  });

  it('shows only the runs that are asked for', () => {
    expect(runsListed({ state: 'unknown' })).toEqual([run1]);
    expect(runsListed({ run: 'run_2' })).toEqual([run2]);
    expect(runsListed({ thread: '007' })).toEqual([run2, run1]);
    expect(runsListed({ thread: '7' })).toEqual([]);
    expect(listed({ state: 'suspended' })).toBe('No run is like that.\n');
  });

  it('says when there are more', () => {
    expect(listed({ limit: 1 })).toContain('… 1 run more: --limit 2 shows all.\n');
    expect(JSON.parse(listed({ limit: 1, json: true }))).toMatchObject({ total: 2 });
  });

  it('prints as JSON what is known of a run, and tells of its input only', () => {
    expect(JSON.parse(listed({ run: 'run_1', json: true }))).toEqual({
      ledger: { file, id: ledger.id },
      total: 1,
      runs: [
        {
          ...{ tenant: 'acme', threadId: '007', runId: run1, intentId: 'i1', inputId: 'm1' },
          ...{ inputDigest: 'd', registryDigest: 'r', inputBytes: 14, consumedMs: 0 },
          ...{ limits: { deadlineMs: 40_000 }, admittedAt: begun + 10 },
          ...{ activeAt: expect.any(Number), status: 'open' },
          effects: { failed: 1, succeeded: 1, unknown: 1 },
        },
      ],
    });
  });

  it('refuses an id that no run has, or that several may have', () => {
    expect(() => listed({ run: 'nobody' })).toThrow(CommandError);
    expect(() => listed({ run: 'nobody' })).toThrow('no run is named nobody');
    expect(() => listed({ run: `${keys[0]}` })).toThrow('no run is named');
    expect(() => listed({ run: 'run_' })).toThrow(`run_ may be several: ${run1}, ${run2}`);
  });
});

describe('show', () => {
  const shown = (what: string, change: Partial<ShowCommand> = {}) => {
    show(reader, { command: 'show', ...common, what, args: false, ...change }, terminal);
    return terminal.taken();
  };

  it('tells a run as a story, without contents of arguments, results or inputs', () => {
    const story = shown('run_1');
    expect(story).toContain(`run ${run1}: open\n`);
    expect(story).toMatch(/ {2}input +m1, 14 bytes kept\n/);
    expect(story).toMatch(/ {2}limits +deadlineMs 40000\n/);
    expect(story).toMatch(/ approved +send_mail, call call-1 +by Ben +overruled\n/);
    expect(story).toMatch(/ rejected +send_mail, call call-1 +by Ann +"no"\n/);
    expect(story.match(/^ {2}\w.*: .*/gm)).toEqual([
      '  refund: succeeded',
      '  send_mail: unknown (timed out)',
      '  book: failed, no effect (business_error)',
      '  book, step reserve: succeeded',
    ]);
    expect(story).toMatch(/ undo +by charge \(weak\), until 2026-03-01 13:00:00.000Z\n/);
    expect(story).toMatch(
      /2026-03-01 12:00:00\.\d{3}Z {2}attempting {2}declared before it is sent\n/,
    );
    expect(story).toMatch(/2026-03-01 12:00:00\.\d{3}Z {2}unknown {5}as the attempt saw it\n/);
    expect(story).not.toMatch(/SECRET|cents/);
  });

  it('shows arguments when asked, as far as they are kept, and never a result or an input', () => {
    const story = shown('run_1', { args: true });
    expect(story).toContain('deleted when the effect succeeded');
    expect(story).toMatch(/undo with +\{"cents":500\}\n/);
    expect(story).not.toContain('SECRET');
  });

  it('shows no secrets among them', async () => {
    const [effect] = await ledger.find({ key: keys[1] ?? expect.unreachable() });
    const args = { to: 'a', password: 'hunter22', note: 'Bearer abcdefgh12345' };
    const frozenArgs = new TextEncoder().encode(JSON.stringify(args));
    const secret = { ...(effect ?? expect.unreachable()), frozenArgs };
    const { colors } = terminal;
    expect(effectStory(secret, [], { withArgs: true, colors }).join('\n')).toContain(
      '{"to":"a","password":"[redacted]","note":"Bearer [redacted]"}',
    );
    expect(effectJson(secret, { moves: [], withArgs: true })).toMatchObject({
      args: { to: 'a', password: '[redacted]', note: 'Bearer [redacted]' },
    });
  });

  it('shows nothing that moves the cursor', () => {
    const story = shown(`${keys[1]}`, { args: true });
    expect(story).toContain(String.raw`{"to":"a\u001b[2J","cents":500}`);
    expect(story).not.toContain('\u001b');
  });

  it('finds an effect by its key, or the beginning of it', () => {
    const key = `${keys[1]}`;
    const { effect } = JSON.parse(shown(key.slice(0, 12), { args: true, json: true }));
    expect(effect).toMatchObject({
      ...{ key, state: 'unknown', args: { to: 'a\u001b[2J', cents: 500 } },
      moves: [
        { to: 'attempting', evidence: 'declared', actor: 'ada', attempt: 'ada-2' },
        { from: 'attempting', to: 'unknown', evidence: 'attempt' },
      ],
    });
  });

  it('finds a thread, and tells its runs in the order in which they were last active', () => {
    const text = shown('007', { json: true });
    const { runs } = JSON.parse(text);
    expect(runs).toMatchObject([
      { runId: run1, decisions: [{ stands: false }, { stands: true }] },
      { runId: run2, status: 'complete', consumedMs: 2345, decisions: [] },
    ]);
    const keysOf = (run: { readonly effects: readonly { readonly key: string }[] }) =>
      run.effects.map(({ key }) => key);
    expect(runs.flatMap(keysOf)).toEqual(keys);
    expect(text).not.toMatch(/SECRET|"args"/);
    expect(shown('007')).toContain(`run ${run2}: complete\n`);
  });

  it('refuses what nothing is named', () => {
    expect(() => shown('7')).toThrow('no run, effect or thread is named 7');
  });
});

describe('find', () => {
  const finding = (change: Partial<Omit<FindCommand, 'args'>>, ...args: string[]) => {
    const asked = args.map((text) => askedArgument(text)).filter((one) => one !== undefined);
    const twice = find(reader, { command: 'find', ...common, ...change, args: asked }, terminal);
    return { twice, text: terminal.taken() };
  };

  it('says what was done twice, and in which requests', () => {
    const { twice, text } = finding({ call: 'call-1' });
    expect(twice).toBe(true);
    expect(text).toMatch(/^refund: DONE 2 TIMES\n/);
    expect(text).toMatch(/ succeeded {2}run run_1111111111 {2}call call-1 {2}key \w{10}\n/);
    expect(text).toMatch(
      / succeeded {2}run run_2222222222 {2}call call-1 {2}key \w{10} {2}another request\n/,
    );
    expect(text).toContain('send_mail: perhaps done (1 unknown)\n');
    expect(text).toMatch(/\nDone more than once: 1 of 4 wishes\.\n$/);
  });

  it('says what was done once, or not at all', () => {
    const { twice, text } = finding({ tool: 'book' });
    expect(twice).toBe(false);
    expect(text).toContain('book, step reserve: done once\n');
    expect(text).toContain('book: not done\n');
    expect(text).toMatch(/\nNothing was done more than once\.\n$/);
  });

  it('finds with an effect all others of its wish', () => {
    const document = JSON.parse(finding({ key: `${keys[4]}`, json: true }).text);
    expect(document).toMatchObject({ wishes: 1, doneMoreThanOnce: 1, unsearchedEffects: 0 });
    expect(document.found[0]).toMatchObject({ verdict: 'more-than-once', done: 2, undone: 0 });
    expect(document.found[0].effects.map(({ key }: { key: string }) => key)).toEqual([
      keys[0],
      keys[4],
    ]);
  });

  it('finds by arguments what is not settled, and says what it could not look into', () => {
    const { text } = finding({ thread: '007' }, 'cents=500');
    expect(text).toContain('send_mail: perhaps done (1 unknown)\n');
    expect(text).toContain('3 effects could not be searched for arguments');
  });

  it('finds by tool and identity arguments what is settled too', () => {
    const { twice, text } = finding({ tool: 'refund' }, 'invoiceId=inv_7', 'cents=500');
    expect(twice).toBe(true);
    expect(text).not.toContain('could not be searched');
    const partly = finding({ tool: 'refund' }, 'cents=500');
    expect(partly.twice).toBe(false);
    expect(partly.text).toContain('2 effects could not be searched');
    expect(partly.text).toContain('No effect in this ledger matches.\n');
  });

  it('shows the worst first, and says when there are more', () => {
    const { twice, text } = finding({ thread: '007', limit: 1 });
    expect(twice).toBe(true);
    expect(text).toMatch(/^refund: DONE 2 TIMES\n/);
    expect(text).toContain('… 3 wishes more: --limit 4 shows all.\n');
    expect(text).not.toContain('send_mail');
  });

  it('refuses a key that no effect has', () => {
    expect(() => finding({ key: 'nobody' })).toThrow('no effect has the key nobody');
    expect(() => finding({ key: 'run_1' })).toThrow('no effect has the key run_1');
  });
});
