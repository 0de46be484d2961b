import { describe, expect, it, vi } from 'vitest';
import { readCommandLine } from './command-line.js';
import { nameOf } from './server-place.js';

const read = (...args: readonly string[]) =>
  readCommandLine(['node', 'mcp-guard', ...args], '1.0.0', { TOKEN: 's3cret' });
const problem = (...args: readonly string[]): string => {
  const asked = read(...args);
  return asked.asks === 'misuse' ? asked.message : expect.unreachable();
};

describe('the command line', () => {
  it("is the guard's up to the first --, and the server's from there on", () => {
    expect(
      read('--registry', 'r.ts', '--mode', 'shadow', '--', 'npx', '-y', 'x', '--', '--mode'),
    ).toEqual({
      asks: 'proxy',
      server: { command: 'npx', args: ['-y', 'x', '--', '--mode'] },
      settings: {
        registry: 'r.ts',
        mode: 'shadow',
        maxResult: 65_536,
        readResult: false,
        logLevel: 'warn',
        trustAnnotations: false,
        toolNames: 'taken-by-all',
      },
      host: { by: 'stdio' },
    });
  });

  it('enforces unless it says something else', () => {
    expect(read('--', 'server')).toMatchObject({ settings: { mode: 'enforce' } });
  });

  it('says what the server is given, believed and called', () => {
    expect(
      read('--env', 'A,B', '--env', 'C_1', '--trust-annotations', '--tool-names', 'own', '--', 's'),
    ).toMatchObject({
      settings: { env: ['A', 'B', 'C_1'], trustAnnotations: true, toolNames: 'own' },
    });
    expect(problem('--env', 'A=1', '--', 'server')).toContain('--env takes names: --env A,B.');
    expect(problem('--log-level', 'loud', '--', 'server')).toContain(
      '--log-level takes silent, warn, info, debug, not "loud".',
    );
  });

  it('says how much of a result is given', () => {
    expect(read('--max-result', '0', '--read-result', '--', 'server')).toMatchObject({
      settings: { maxResult: 0, readResult: true },
    });
    for (const given of ['4095', '99999999', 'much', '5000.5']) {
      expect(problem('--max-result', given, '--', 'server')).toContain('--max-result takes bytes');
    }
  });

  it('says what is wrong, and where to look', () => {
    expect(problem()).toBe(
      'Which server? Its command stands behind --, or its address behind --upstream. See mcp-guard --help.',
    );
    expect(problem('--')).toContain('Which server?');
    expect(problem('npx', '--', 'server')).toContain('What is npx?');
    expect(problem('--mode', 'on', '--', 'server')).toContain(
      '--mode takes enforce, shadow, off, not "on".',
    );
    expect(problem('--legder', 'x', '--', 'server')).toContain('legder');
    expect(problem('--ledger', '--', 'server')).toContain('ledger');
    expect(problem('--name', 'a', '--name', 'b', '--', 'server')).toContain(
      '--name takes a name, once.',
    );
  });

  it('takes an address with headers instead of a command, and variables for what is secret', () => {
    const asked = read(
      '--upstream',
      'https://host/mcp?key=1',
      '--header',
      'Authorization: Bearer env:TOKEN',
      '--header',
      'X-Team: desk env:less',
    );
    expect(asked).toMatchObject({ asks: 'misuse', message: expect.stringContaining('less') });
    const good = ['--upstream', 'https://host/mcp?key=1'];
    const headers = ['--header', 'Authorization: Bearer env:TOKEN', '--header', 'X-Team: desk'];
    expect(read(...good, ...headers)).toMatchObject({
      asks: 'proxy',
      server: {
        url: new URL('https://host/mcp?key=1'),
        headers: { authorization: 'Bearer s3cret', 'x-team': 'desk' },
      },
    });
    expect(nameOf({ url: new URL('https://user:pass@host/mcp?key=1'), headers: {} })).toBe(
      'https://host/mcp',
    );
  });

  it.each([
    [['--upstream', 'https://host/mcp', '--', 'server'], 'https://host/mcp or server?'],
    [['--upstream', 'host/mcp'], 'not host/mcp'],
    [['--upstream', 'ftp://host/mcp'], 'not ftp://host/mcp'],
    [['--header', 'A: b', '--', 'server'], '--upstream'],
    [['--upstream', 'https://user:pass@host/mcp'], '--header'],
    [['--upstream', 'https://host/mcp', '--header', 'nothing'], 'Name: value'],
    [['--upstream', 'https://host/mcp', '--header', 'A: \u{1f600}'], 'characters'],
    [['--upstream', 'https://host/mcp', '--header', 'Mcp-Session-Id: 1'], 'Mcp-Session-Id'],
  ])('does not go along with %j', (args, says) => {
    expect(problem(...args)).toContain(says);
  });

  it('has hosts come in through the standard streams, or at an address', () => {
    const host = (...args: readonly string[]) => {
      const asked = read(...args, '--', 'server');
      return asked.asks === 'proxy' ? asked.host : expect.unreachable();
    };
    expect(host()).toEqual({ by: 'stdio' });
    expect(host('--http', '127.0.0.1:8931')).toEqual({
      by: 'http',
      host: '127.0.0.1',
      port: 8931,
    });
    expect(host('--http', '0')).toMatchObject({ host: '127.0.0.1', port: 0 });
    expect(host('--http', '[::1]:80')).toMatchObject({ host: '::1', port: 80 });
    expect(host('--http', '0.0.0.0:80', '--token', 'env:TOKEN')).toMatchObject({
      host: '0.0.0.0',
      token: 's3cret',
    });
  });

  it.each([
    [['--http', 'localhost'], 'not localhost'],
    [['--http', '127.0.0.1:70000'], 'not 127.0.0.1:70000'],
    [['--http', '0.0.0.0:80'], '--token'],
    [['--http', '0.0.0.0:80', '--token', 'env:NOBODY'], 'NOBODY'],
    [['--http', '0.0.0.0:80', '--token', '/no/such/file'], '/no/such/file'],
    [['--token', 'env:TOKEN'], '--http'],
  ])('does not let hosts in by %j', (args, says) => {
    expect(problem(...args, '--', 'server')).toContain(says);
  });

  it('drafts a registry, or holds one against a server', () => {
    expect(read('draft', '--out', 'r.ts', '--', 'server', 'check')).toEqual({
      asks: 'draft',
      server: { command: 'server', args: ['check'] },
      settings: { out: 'r.ts' },
    });
    expect(read('check', '--registry', 'r.ts', '--json', '--upstream', 'http://h/mcp')).toEqual({
      asks: 'check',
      server: { url: new URL('http://h/mcp'), headers: {} },
      settings: { registry: 'r.ts', json: true },
    });
    expect(problem('check', '--', 'server')).toContain('--registry takes a file, once.');
    expect(problem('draft')).toContain('Which server?');
    expect(problem('draft', '--mode', 'off', '--', 'server')).toContain('mode');
  });

  it('pins tools to a lock file that is named, or stands beside the registry', () => {
    expect(read('--pinned', 'block', '--lock', 'l.json', '--', 'server')).toMatchObject({
      settings: { pinned: 'block', lock: 'l.json' },
    });
    expect(read('--pinned', 'warn', '--registry', 'r.ts', '--', 'server')).toMatchObject({
      settings: { pinned: 'warn' },
    });
    expect(problem('--pinned', 'warn', '--', 'server')).toContain('--pinned needs the lock file');
    expect(problem('--lock', 'l.json', '--', 'server')).toContain('--lock is for --pinned');
    expect(problem('--pinned', 'no', '--', 'server')).toContain('--pinned takes warn, block');
  });

  const shownFor = (...args: string[]): string => {
    const print = vi.spyOn(console, 'info').mockImplementation(() => {});
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    expect(read(...args)).toEqual({ asks: 'shown' });
    return [...print.mock.calls, ...log.mock.calls].flat().join('\n');
  };

  it('shows help that a newcomer can act on', () => {
    const shown = shownFor('--help');
    expect(shown).toContain('mcp-guard [options] -- <command of the server>');
    expect(shown).toContain('"command": "npx"');
  });

  it('says of each command what its exit code means', () => {
    expect(shownFor('--help')).toContain('0  the host went away');
    expect(shownFor('draft', '--help')).toContain('0  the draft is written');
    expect(shownFor('check', '--help')).toContain('0  the registry fits the server');
  });
});
