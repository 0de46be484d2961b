import { describe, expect, it } from 'vitest';
import { serverEnv } from './server-env.js';

const host = {
  PATH: '/bin',
  HOME: '/home/ann',
  LC_ALL: 'C',
  API_KEY: 'k',
  OTHER_KEY: 'o',
  NODE_OPTIONS: '--inspect',
  NODE_CHANNEL_FD: '3',
  NODE_PATH: '/lib',
  ELECTRON_RUN_AS_NODE: '1',
  VSCODE_INSPECTOR_OPTIONS: '{}',
  HOLDFAST_TOKEN: 's',
};

describe('the environment of a server', () => {
  it("is the host's, without what is about the host or the guard", () => {
    expect(Object.keys(serverEnv(host, undefined))).toEqual([
      'PATH',
      'HOME',
      'LC_ALL',
      'API_KEY',
      'OTHER_KEY',
      'NODE_PATH',
    ]);
  });

  it('is what is named and what no program does without, where something is named', () => {
    expect(serverEnv(host, ['API_KEY', 'NODE_OPTIONS', 'NOT_SET'])).toEqual({
      PATH: '/bin',
      HOME: '/home/ann',
      LC_ALL: 'C',
      API_KEY: 'k',
      NODE_OPTIONS: '--inspect',
    });
  });
});
