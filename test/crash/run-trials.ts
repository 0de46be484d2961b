import type { AgentProcess } from './agent-process.js';
import type { CrashLab } from './crash-lab.js';
import { runTrial, type Trial, type TrialResult } from './trial.js';

/** Trials at once: a slow saver's process mostly waits. */
const LANES = 4;

/**
 * Runs trials a few at a time, each lane with processes of its own that resume.
 *
 * @param done is told how many are done
 * @throws what the first trial that failed threw, when none runs any more
 */
export async function runTrials(
  trials: readonly Trial[],
  lab: CrashLab,
  done: (count: number) => void = () => {},
): Promise<ReadonlyMap<Trial, TrialResult>> {
  const results = new Map<Trial, TrialResult>();
  const waiting = [...trials];

  async function lane(): Promise<void> {
    const resumers: AgentProcess[] = [];
    const resumer = (number: number): AgentProcess => {
      const process = resumers[number] ?? lab.startAgent();
      resumers[number] = process;
      return process;
    };
    try {
      for (let trial = waiting.shift(); trial !== undefined; trial = waiting.shift()) {
        results.set(trial, await runTrial(trial, lab, resumer));
        done(results.size);
      }
    } finally {
      waiting.length = 0;
      await Promise.all(resumers.map((process) => process.stop()));
    }
  }

  const lanes = await Promise.allSettled(
    Array.from({ length: Math.min(LANES, trials.length) }, () => lane()),
  );
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
  return results;
}
