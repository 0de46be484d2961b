import { describe, expect, it, vi } from 'vitest';
import { readCommandLine } from './command-line.js';

const read = (...args: readonly string[]) =>
  readCommandLine(['node', 'mcp-guard', ...args], '1.0.0');
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
      command: 'npx',
      args: ['-y', 'x', '--', '--mode'],
      settings: { registry: 'r.ts', mode: 'shadow' },
    });
  });

  it('enforces unless it says something else', () => {
    expect(read('--', 'server')).toMatchObject({ settings: { mode: 'enforce' } });
  });

  it('says what is wrong, and where to look', () => {
    expect(problem()).toBe('Which server? Its command stands behind --. See mcp-guard --help.');
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

  it('shows help that a newcomer can act on', () => {
    const print = vi.spyOn(console, 'info').mockImplementation(() => {});
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    expect(read('--help')).toEqual({ asks: 'shown' });
    const shown = [...print.mock.calls, ...log.mock.calls].flat().join('\n');
    expect(shown).toContain('mcp-guard [options] -- <command of the server>');
    expect(shown).toContain('"command": "npx"');
  });
});
