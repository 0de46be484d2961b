import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { type AgentOptions, agentOptionNames } from './agent-options.js';
import { forkProgram } from './services/fork-program.js';

/** How an agent program ended. */
export type AgentEnd =
  | { kind: 'answered'; text: string }
  | { kind: 'killed'; signal: NodeJS.Signals }
  | { kind: 'failed'; exitCode: number | null; stderr: string };

export interface AgentRun {
  /** Rejects only when the program cannot be started or prints something else than its answer. */
  end: Promise<AgentEnd>;
  /** kill -9, as an out-of-memory killer or a lost machine does it. Resolves when it is dead. */
  kill(): Promise<void>;
}

const answerLine = z.object({ text: z.string() });

/**
 * Starts an agent program of this folder as a process of its own.
 *
 * @param program its file name, such as `agent-process-stock.ts`.
 */
export function runAgent(program: string, options: AgentOptions): AgentRun {
  const args = agentOptionNames.flatMap((name) => [`--${name}`, options[name]]);
  const file = new URL(program, import.meta.url);
  const child = forkProgram(file, args, ['ignore', 'pipe', 'pipe', 'ipc']);
  const closed = once(child, 'close');
  const end = Promise.all([closed, textOf(child.stdout), textOf(child.stderr)]).then(
    ([, stdout, stderr]): AgentEnd => {
      if (child.signalCode) return { kind: 'killed', signal: child.signalCode };
      if (child.exitCode !== 0) return { kind: 'failed', exitCode: child.exitCode, stderr };
      return { kind: 'answered', ...answerLine.parse(JSON.parse(stdout)) };
    },
  );
  return {
    end,
    kill: async () => {
      child.kill('SIGKILL');
      await end;
    },
  };
}

async function textOf(stream: Readable | null): Promise<string> {
  return stream ? text(stream) : '';
}
