import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleProxy } from './bundle.js';
import { callParams, type Desk, desk, failureIn, Host, type HostOptions, textOf } from './host.js';

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleProxy();
});

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.kill('SIGKILL')));
});

async function host(at: Desk, options: Omit<HostOptions, 'bundle'> = {}): Promise<Host> {
  const one = new Host(at, { bundle, ...options });
  hosts.push(one);
  return one.begin();
}

const mails = ['A', 'B', 'C', 'D'];
const wholeResults = { options: ['--max-result', '0'] };

describe('counted at the server', () => {
  it.each([
    ['with a registry', true],
    ['without one', false],
  ])(
    'MCP-07: a host that sends every call twice has each done once, %s',
    async (_, withRegistry) => {
      const at = desk();
      const one = await host(at, { withRegistry });
      const ids = mails.flatMap((to) =>
        [1, 2].map(() => one.ask('tools/call', callParams('send_mail', { to }))),
      );
      const answers = await Promise.all(ids.map((id) => one.answer(id)));
      expect(answers.map(textOf)).toEqual(ids.map(() => 'sent'));
      expect([...at.effects()].sort()).toEqual(mails.map((to) => `mail ${to}`));
    },
  );

  it('MCP-01, MCP-06: a host that gives up and asks again has the answer of the first call, once it is there', async () => {
    const at = desk();
    const one = await host(at);
    const first = one.ask('tools/call', callParams('waits', { to: 'A' }));
    await effectsOf(at, 1);
    one.write({ method: 'notifications/cancelled', params: { requestId: first } });
    const again = one.ask('tools/call', callParams('waits', { to: 'A' }));
    await one.call('echo');
    // The server has not looked at the cancellation, and answers.
    await one.call('release');
    const { result } = await one.answer(again);
    expect(result?.content).toEqual([{ type: 'text', text: 'sent' }]);
    expect(at.effects().filter((line) => line === 'mail A')).toHaveLength(1);
  });

  it('MCP-57: an answer of 11 MB comes whole, and harms no call beside it', async () => {
    const at = desk();
    const one = await host(at, wholeResults);
    const beside = one.ask('tools/call', callParams('waits', { to: 'B' }));
    expect(textOf(await one.call('long'))).toHaveLength(11 * 1024 * 1024);
    await one.call('release');
    expect(textOf(await one.answer(beside))).toBe('sent');
    expect([...at.effects()].sort()).toEqual(['long', 'mail B']);
  });

  it('MCP-26: of several calls under way when the server is killed, none is sent again', async () => {
    const at = desk();
    const one = await host(at);
    const waiting = mails.map((to) => one.ask('tools/call', callParams('waits', { to })));
    await effectsOf(at, mails.length);
    await one.call('send_and_die', { to: 'E' });
    for (const id of waiting) {
      expect(failureIn(await one.answer(id))).toMatchObject({ effect: 'unknown' });
    }
    // The next server is there for new wishes.
    expect(textOf(await one.call('send_mail', { to: 'F' }))).toBe('sent');
    for (const to of mails) {
      expect(failureIn(await one.call('waits', { to }))).toMatchObject({ kind: 'outcome_unknown' });
    }
    expect([...at.effects()].sort()).toEqual([...mails, 'E', 'F'].map((to) => `mail ${to}`));
  });

  it('MCP-54: noise around every answer loses none of them', async () => {
    const at = desk();
    const one = await host(at);
    const ids = mails.flatMap((to) => [
      one.ask('tools/call', callParams('noisy', { to })),
      one.ask('tools/call', callParams('send_mail', { to })),
    ]);
    const answers = await Promise.all(ids.map((id) => one.answer(id)));
    expect(answers.map(textOf)).toEqual(mails.flatMap(() => ['quiet', 'sent']));
    expect([...at.effects()].sort()).toEqual(mails.map((to) => `mail ${to}`));
  });
});

async function effectsOf(at: Desk, count: number): Promise<void> {
  while (at.effects().length < count) await new Promise((resolve) => setImmediate(resolve));
}
