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

/** What the agent says in the end; undefined when it took too long. */
async function answerInTime(): Promise<string | undefined> {
  const signal = AbortSignal.timeout(Number(options.deadlineMs));
  const begun = (await saver.getTuple(config)) !== undefined;
  const input = begun ? null : { messages: options.message };
  try {
    const { messages } = await agent.invoke(input, { ...config, signal });
    return messages.at(-1)?.text;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

// As job queues and web handlers have it: what took too long gets one more chance.
const text = (await answerInTime()) ?? (await answerInTime());
console.log(JSON.stringify({ text: text ?? 'Sorry, this took too long. Please try again.' }));
