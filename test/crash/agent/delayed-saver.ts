import { setTimeout as pause } from 'node:timers/promises';
import { isBaseMessage, ToolMessage } from '@langchain/core/messages';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'libsql';
import { accountOf, type CrashPoint } from './crash-point.js';
import type { Delays } from './job.js';

/**
 * A saver in a SQLite file that is as slow as a distant database: what it is asked is under way for a
 * while, and lost if the process ends meanwhile. It may end the process around the storing of the tool's
 * answers.
 */
export class DelayedSaver extends SqliteSaver {
  constructor(
    file: string,
    private readonly delays: Delays,
    private readonly crash: CrashPoint,
    private readonly looked: () => void,
  ) {
    super(new Database(file));
    // Two processes may have it open; better-sqlite3 waits that long by default, libsql not at all.
    this.db.pragma('busy_timeout = 5000');
  }

  override async getTuple(...asked: Parameters<SqliteSaver['getTuple']>) {
    await under(this.delays.readMs);
    const tuple = await super.getTuple(...asked);
    this.looked();
    return tuple;
  }

  override async put(...write: Parameters<SqliteSaver['put']>) {
    const [, { channel_values }] = write;
    const answered = Object.values(channel_values).flatMap(accountsAnsweredIn);
    this.crash.stored('before-checkpoint', answered);
    await under(this.delays.putMs);
    const stored = await super.put(...write);
    this.crash.stored('after-checkpoint', answered);
    return stored;
  }

  override async putWrites(...write: Parameters<SqliteSaver['putWrites']>) {
    await under(this.delays.putWritesMs);
    await super.putWrites(...write);
    const [, writes] = write;
    const answered = writes.flatMap(([, value]) => accountsAnsweredIn(value));
    this.crash.stored('after-pending-write', answered);
  }
}

async function under(ms: number): Promise<void> {
  if (ms > 0) await pause(ms);
}

/** Of which accounts a tool's message is there: alone, among others, or in the state of a flow. */
function accountsAnsweredIn(value: unknown): readonly string[] {
  if (ToolMessage.isInstance(value)) return [accountOf(value.tool_call_id)];
  if (Array.isArray(value)) return value.flatMap(accountsAnsweredIn);
  if (typeof value !== 'object' || value === null || isBaseMessage(value)) return [];
  return 'messages' in value ? accountsAnsweredIn(value.messages) : [];
}
