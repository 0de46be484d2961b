/** The stock agent as a program; a program started again goes on where the last one was killed. */
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'libsql';
import { agentOptionNames } from './agent-options.js';
import { programOptions } from './program-options.js';
import { createStockAgent } from './stock-agent.js';

const options = programOptions(agentOptionNames);
const saver = new SqliteSaver(new Database(options.state));
const agent = createStockAgent(options, saver);
const config = { configurable: { thread_id: options.thread } };

const begun = (await saver.getTuple(config)) !== undefined;
const { messages } = await agent.invoke(begun ? null : { messages: options.message }, config);
console.log(JSON.stringify({ text: messages.at(-1)?.text }));
