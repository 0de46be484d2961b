/** LG-25: a tool that throws is a message to the model, and nothing more. */
import { type AgentMiddleware, createMiddleware } from 'langchain';
import { describe, expect, it } from 'vitest';
import { agentKinds, agentWithMiddleware } from '../support/agents.js';
import { runStrictly } from '../support/run-strictly.js';
import { answerTo, asked, failureIn, lastOf, onThread, scene } from '../support/scene.js';
import { asksFor, says } from '../support/scripted-model.js';

const program = new URL('./broken-tools.program.ts', import.meta.url);
const breaks = (): never => {
  throw new Error('it broke at /srv/app/charge.ts:3:1');
};

it.each(['invoke', 'streamEvents v2', 'streamEvents v3'])(
  'LG-25: the process survives %s with every tool broken, under --unhandled-rejections=strict',
  async (way) => {
    const { exitCode, stdout, stderr } = await runStrictly(program, way);
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      said: ['human', 'ai', 'tool', 'tool', 'tool', 'tool', 'ai'],
      deeds: ['charge', 'get_order', 'legacy_sync'],
    });
  },
);

describe.each(agentKinds)('$name', (kind) => {
  it('LG-25: the model gets code and advice, and the run goes on', async () => {
    const { process } = scene();
    const { guard, agent } = process(
      kind,
      [asksFor('get_order', { orderId: 'o1' }, 'c1'), says('It cannot be read.')],
      { afterwards: { get_order: breaks } },
    );
    const { output, report } = await guard.run(agent, asked('Look.'), onThread);
    const answer = answerTo('c1', output);
    expect(failureIn(answer)).toBe('dependency_failed');
    expect(answer.status).toBe('error');
    expect(answer.text).toMatch(/^status: dependency_failed\neffect: none\n/);
    expect(answer.text).toMatch(/\nnext: /);
    expect(answer.text).not.toContain('/srv/app');
    expect(answer.artifact).toMatchObject({ cause: { name: 'Error' } });
    expect(lastOf(output)).toBe('It cannot be read.');
    expect(report.status).toBe('failed');
  });
});

it.each(['outer', 'inner'] as const)(
  'LG-25: with a second middleware on the %s side that passes everything on',
  async (side) => {
    const { process } = scene();
    const passThrough = createMiddleware({
      name: 'PassThrough',
      wrapToolCall: (request, handler) => handler(request),
    }) as AgentMiddleware;
    const { agent } = process(
      agentWithMiddleware,
      [asksFor('get_order', { orderId: 'o1' }, 'c1'), says('It cannot be read.')],
      { [side]: [passThrough], afterwards: { get_order: breaks } },
    );
    const output = await agent.invoke(asked('Look.'), onThread);
    expect(failureIn(answerTo('c1', output))).toBe('dependency_failed');
  },
);
