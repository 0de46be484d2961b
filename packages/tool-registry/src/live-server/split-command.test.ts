import { describe, expect, it } from 'vitest';
import { splitCommand } from './split-command.js';

describe('a command line', () => {
  it.each([
    ['npx some-server /data', ['npx', 'some-server', '/data']],
    ['  node   a.mjs ', ['node', 'a.mjs']],
    [`node "my server.mjs" 'it''s' --x="a b"`, ['node', 'my server.mjs', 'its', '--x=a b']],
    ['node my\\ server.mjs "\\"q\\"" \'\\\'', ['node', 'my server.mjs', '"q"', '\\']],
    ['node "" x', ['node', '', 'x']],
  ])('%s is taken apart as by a shell', (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it.each(['', '  ', '"', `node 'a`, '""'])('%j is none', (line) => {
    expect(splitCommand(line)).toBeUndefined();
  });
});
