import { setTimeout as pause } from 'node:timers/promises';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'libsql';
import type { CrashPoint } from './crash-point.js';
import type { Delays } from './job.js';

/**
 * A saver in a SQLite file that is as slow as a distant database: what it is asked is under way for a
 * while, and lost if the process ends meanwhile. It may end the process when the tool's answer is stored.
 */
export class DelayedSaver extends SqliteSaver {
  constructor(
    file: string,
    private readonly delays: Delays,
    private readonly reached: CrashPoint,
  ) {
    super(new Database(file));
    // Two processes may have it open; better-sqlite3 waits that long by default, libsql not at all.
    this.db.pragma('busy_timeout = 5000');
  }

  override async getTuple(...asked: Parameters<SqliteSaver['getTuple']>) {
    await under(this.delays.readMs);
    return super.getTuple(...asked);
  }

  override async put(...write: Parameters<SqliteSaver['put']>) {
    await under(this.delays.putMs);
    const stored = await super.put(...write);
    const [, { channel_values }] = write;
    if (holdsAnswer(channel_values.messages)) this.reached('after-checkpoint');
    return stored;
  }

  override async putWrites(...write: Parameters<SqliteSaver['putWrites']>) {
    await under(this.delays.putWritesMs);
    await super.putWrites(...write);
    const [, writes] = write;
    if (writes.some(([, value]) => holdsAnswer(value))) this.reached('after-pending-write');
  }
}

async function under(ms: number): Promise<void> {
  if (ms > 0) await pause(ms);
}

/** A tool's message, alone or among others. */
function holdsAnswer(value: unknown): boolean {
  return [value].flat().some(isToolMessage);
}

function isToolMessage(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'getType' in value &&
    typeof value.getType === 'function' &&
    value.getType() === 'tool'
  );
}
