import type { AgentKind } from './demo-files.js';
import type { Tell } from './performance.js';
import type { Terminal } from './terminal.js';

/** Prints each step as it happens, with the seconds since `startedAt` and the agent that it is of. */
export function progressOn({ line, colors }: Terminal, startedAt: number): Tell {
  const markers: Record<AgentKind, string> = {
    stock: colors.yellow('stock  '),
    guarded: colors.cyan('guarded'),
  };
  return (agent, step, alarming = false) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(6);
    line(`${colors.dim(`${seconds} s`)}  ${markers[agent]}  ${alarming ? colors.red(step) : step}`);
  };
}
