import { relative } from 'node:path';
import { checkRegistry, type Finding, toolOfField } from '../check-registry.js';
import { loadRegistry } from '../load-registry.js';
import type { SetupProblem } from '../setup-error.js';
import { type CheckedFile, reportFormats } from './check-report.js';
import type { CheckSettings } from './command-line.js';
import type { ExitCode } from './exit-code.js';
import { meantFiles } from './find-files.js';

/** What stopped a definition, as a finding. */
function refusal({ field, reason, fix, rule = 'declaration' }: SetupProblem): Finding {
  return { severity: 'error', rule, ...toolOfField(field), field, reason, fix };
}

async function checkFile(path: string): Promise<CheckedFile> {
  const file = relative(process.cwd(), path);
  const loaded = await loadRegistry(path);
  switch (loaded.loaded) {
    case 'registry': {
      const { registry } = loaded;
      return { file, path, findings: checkRegistry(registry), tools: registry.tools.size };
    }
    case 'refused':
      return { file, path, findings: loaded.problems.map(refusal) };
    case 'unreadable':
      return { file, path, findings: [], unreadable: loaded.reason };
  }
}

function exitCode(checked: readonly CheckedFile[], strict: boolean): ExitCode {
  if (checked.some(({ unreadable }) => unreadable !== undefined)) return 2;
  const fails = ({ severity }: Finding) => strict || severity === 'error';
  return checked.some(({ findings }) => findings.some(fails)) ? 1 : 0;
}

/** Checks registry files and prints what is found. */
export async function runCheck(
  given: readonly string[],
  { format, strict }: CheckSettings,
): Promise<ExitCode> {
  const meant = await meantFiles(given, process.cwd());
  if (!meant.found) {
    console.error(meant.why);
    return 2;
  }
  const checked: CheckedFile[] = [];
  // One after the other: files may share modules, and what they print must not mix.
  for (const file of meant.files) checked.push(await checkFile(file));
  const workspace = process.env.GITHUB_WORKSPACE;
  const report = reportFormats[format](checked, {
    colors: process.stdout.isTTY === true && process.stdout.hasColors(),
    ...(workspace !== undefined && workspace !== '' && { workspace }),
  });
  if (report !== '') console.log(report);
  return exitCode(checked, strict);
}
