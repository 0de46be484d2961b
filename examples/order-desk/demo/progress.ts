import type { AgentKind } from './demo-files.js';
import type { Tell } from './performance.js';
import { faultNames } from './scenario.js';
import type { Terminal } from './terminal.js';

const wide = Math.max(...faultNames.map((name) => name.length));

/** Prints each step as it happens: seconds since `startedAt`, the fault and the agent that it is of. */
export function progressOn({ line, colors }: Terminal, startedAt: number): Tell {
  const markers: Record<AgentKind, string> = {
    stock: colors.yellow('stock  '),
    guarded: colors.cyan('guarded'),
  };
  return (fault, agent, step, alarming = false) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(6);
    const subject = `${colors.bold(fault.padEnd(wide))}  ${markers[agent]}`;
    line(`${colors.dim(`${seconds} s`)}  ${subject}  ${alarming ? colors.red(step) : step}`);
  };
}
