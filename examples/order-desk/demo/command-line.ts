import { readCommandLine, type Settings } from './asked.js';
import { brokenBounds, brokenOverall } from './bounds.js';
import { FolderNotEmptyError, prepareFiles } from './demo-files.js';
import { printEnd, printFault } from './demo-report.js';
import { jsonDocument } from './json-document.js';
import { playFault } from './performance.js';
import { progressOn } from './progress.js';
import { faultNames, scenarios } from './scenario.js';
import { someAtATime } from './some-at-a-time.js';
import { terminalOn } from './terminal.js';

/** All bounds kept; one broken, or the demo failed; the command line cannot be followed. */
type ExitCode = 0 | 1 | 2;

/** Faults that are played at once: each waits more than it works. */
const AT_ONCE = 2;

/**
 * Runs the demo's command line.
 *
 * @param argv as in `process.argv`.
 */
export async function runCommandLine(argv: string[]): Promise<ExitCode> {
  const asked = readCommandLine(argv);
  switch (asked.kind) {
    case 'help':
      return 0;
    case 'list':
      for (const name of faultNames) console.log(`${name.padEnd(15)}${scenarios[name].summary}`);
      return 0;
    case 'misuse':
      console.error(asked.message);
      return 2;
    case 'demo':
      return play(asked.settings);
  }
}

async function play({ faults, folder, json }: Settings): Promise<ExitCode> {
  const terminal = terminalOn(json ? process.stderr : process.stdout);
  const tell = progressOn(terminal, performance.now());
  try {
    const files = await prepareFiles(folder);
    const outcomes = await someAtATime(AT_ONCE, faults, (name) => playFault(name, files, tell));
    for (const outcome of outcomes) printFault(outcome, terminal);
    const broken = [...outcomes.flatMap(brokenBounds), ...brokenOverall(outcomes)];
    printEnd(outcomes, broken, files, terminal);
    if (json) console.log(JSON.stringify(jsonDocument(outcomes, files), null, 2));
    return broken.length === 0 ? 0 : 1;
  } catch (error) {
    console.error(`The demo failed. ${error instanceof Error ? error.message : String(error)}`);
    return error instanceof FolderNotEmptyError ? 2 : 1;
  }
}
