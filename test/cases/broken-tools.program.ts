/** A program of LG-25: an agent whose tools break, and what is left of its run. */
import { guardMiddleware } from '@holdfast/langgraph-resilience/middleware';
import { MemorySaver } from '@langchain/langgraph';
import { createAgent, createMiddleware } from 'langchain';
import { caseTools } from '../support/case-tools.js';
import { asked, onThread, scene } from '../support/scene.js';
import { asks, ScriptedModel, says } from '../support/scripted-model.js';

const breaks = (): never => {
  throw new Error('the tool broke');
};
const { world, guard: make } = scene();
const guard = make();
const agent = createAgent({
  model: new ScriptedModel([
    asks(
      'm1',
      { name: 'get_order', args: { orderId: 'o1' }, id: 'c1' },
      { name: 'charge', args: { orderId: 'o1', amount: 5 }, id: 'c2' },
      { name: 'legacy_sync', args: { what: 'all' }, id: 'c3' },
      { name: 'no_such_tool', args: {}, id: 'c4' },
    ),
    says('Some of it failed.'),
  ]),
  tools: caseTools(world, { get_order: breaks, charge: breaks, legacy_sync: breaks }),
  middleware: [
    createMiddleware({
      name: 'PassThrough',
      wrapToolCall: (request, handler) => handler(request),
    }),
    guardMiddleware(guard),
  ],
  checkpointer: guard.checkpointer(new MemorySaver()),
});

async function run(): Promise<void> {
  switch (process.argv[2]) {
    case 'streamEvents v3':
      for await (const event of await agent.streamEvents(asked('Do it.'), {
        ...onThread,
        version: 'v3',
      })) {
        void event;
      }
      return;
    case 'streamEvents v2':
      for await (const event of agent.streamEvents(asked('Do it.'), {
        ...onThread,
        version: 'v2',
      })) {
        void event;
      }
      return;
    default:
      await agent.invoke(asked('Do it.'), onThread);
  }
}

await run();
const { values } = await agent.graph.getState(onThread);
// Rejections that nobody handles are reported at the end of a turn of the event loop.
await new Promise((resolve) => setImmediate(resolve));
console.log(
  JSON.stringify({
    said: values.messages.map((message: { getType(): string }) => message.getType()),
    deeds: world.deeds.map(({ tool }) => tool).sort(),
  }),
);
