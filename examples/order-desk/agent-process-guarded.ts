/** The guarded agent as a program; a program started again goes on where the last one was killed. */
import { ndjsonSink } from '@holdfast/call-guard';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'libsql';
import { agentOptionNames, guardOptionNames } from './agent-options.js';
import { createGuardedAgent } from './guarded-agent.js';
import { programOptions } from './program-options.js';

const options = programOptions([...agentOptionNames, ...guardOptionNames]);
const saver = new SqliteSaver(new Database(options.state));
const { guard, agent } = createGuardedAgent(options, saver, {
  ledger: options.ledger,
  events: [ndjsonSink(options.events)],
});
const config = {
  configurable: { thread_id: options.thread },
  limits: { deadline: Number(options.deadlineMs) },
};

const begun = (await saver.getTuple(config)) !== undefined;
const { output, report } = begun
  ? await guard.resume(agent, config)
  : await guard.run(agent, { messages: options.message }, config);
await guard.close();
console.log(JSON.stringify({ text: output?.messages.at(-1)?.text, report }));
