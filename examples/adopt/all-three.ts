// Runs the three guarded agents against a billing service that counts, and prints a line for each as JSON.
// `npm run newcomer` runs it with the packed packages, as an ES module and as CommonJS.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { agent as createAgent } from './create-agent.after.js';
import { agent as createReactAgent } from './create-react-agent.after.js';
import { guard } from './guard.js';
import { agent as stateGraph } from './state-graph.after.js';

const agents = { createAgent, createReactAgent, stateGraph };
const input = { messages: [{ role: 'user', content: 'Refund invoice inv_7, 500 cents.' }] };

/** Refunds that were paid for one request of a user, and what the report says of it. */
async function ask(name: keyof typeof agents, answers: 'given' | 'lost') {
  let refunds = 0;
  const billing = createServer((request, response) => {
    request.resume().once('end', () => {
      refunds += 1;
      if (answers === 'lost') request.socket.destroy();
      else response.end('{"refunded":true}');
    });
  }).listen(0, '127.0.0.1');
  await once(billing, 'listening');
  const address = billing.address();
  assert(typeof address === 'object' && address !== null);
  process.env.BILLING_URL = `http://127.0.0.1:${address.port}`;
  const config = { configurable: { thread_id: `${name}, answers ${answers}` } };
  try {
    const { report } = await guard.run(agents[name], input, config);
    return { agent: name, answers, refunds, status: report.status };
  } finally {
    billing.close();
    billing.closeAllConnections();
  }
}

async function main() {
  for (const name of ['createAgent', 'createReactAgent', 'stateGraph'] as const) {
    for (const answers of ['given', 'lost'] as const) {
      const seen = await ask(name, answers);
      console.log(JSON.stringify(seen));
      assert.equal(seen.refunds, 1);
      assert.equal(seen.status, answers === 'given' ? 'complete' : 'partial');
    }
  }
}

void main();
