import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type AgentAnswer, agentAnswer } from './agent-answer.js';
import type { AgentOptions, GuardOptions } from './agent-options.js';
import { forkProgram } from './services/fork-program.js';

/** How an agent program ended. */
export type AgentEnd =
  | { kind: 'answered'; answer: AgentAnswer }
  | { kind: 'killed'; signal: NodeJS.Signals }
  | { kind: 'failed'; exitCode: number | null; stderr: string };

export interface AgentRun {
  /** Rejects only when the program cannot be started or prints something else than its answer. */
  end: Promise<AgentEnd>;
  /** kill -9, as an out-of-memory killer or a lost machine does it. Resolves when it is dead. */
  kill(): Promise<void>;
}

const libraries = new URL('load-libraries.mjs', import.meta.url);

/** Both programs of this folder, with the options that each requires. */
export type AgentProgram =
  | { file: 'agent-process-stock.ts'; options: AgentOptions }
  | { file: 'agent-process-guarded.ts'; options: AgentOptions & GuardOptions };

/** Starts an agent program as a process of its own. */
export function runAgent({ file, options }: AgentProgram): AgentRun {
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const program = new URL(file, import.meta.url);
  const child = forkProgram(program, args, ['ignore', 'pipe', 'pipe', 'ipc'], libraries);
  const closed = once(child, 'close');
  const end = Promise.all([closed, textOf(child.stdout), textOf(child.stderr)]).then(
    ([, stdout, stderr]): AgentEnd => {
      if (child.signalCode) return { kind: 'killed', signal: child.signalCode };
      if (child.exitCode !== 0) return { kind: 'failed', exitCode: child.exitCode, stderr };
      return { kind: 'answered', answer: agentAnswer.parse(JSON.parse(stdout)) };
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
