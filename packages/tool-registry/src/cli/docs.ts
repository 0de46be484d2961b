import { readFile, realpath, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { docsForms } from '../docs/index.js';
import { docsStats, statsTable } from '../docs/stats.js';
import { tokenCounter } from '../docs/token-counter.js';
import type { DocsSettings } from './command-line.js';
import type { ExitCode } from './exit-code.js';
import { firstDifference } from './first-difference.js';
import { oneRegistry } from './one-registry.js';

/** The text of a file, with the line breaks that we write; undefined if there is no such file. */
async function committed(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).replaceAll('\r\n', '\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function isSameFile(a: string, b: string): Promise<boolean> {
  const real = (path: string) => realpath(path).catch(() => resolve(path));
  return (await real(a)) === (await real(b));
}

async function compare(out: string, text: string): Promise<ExitCode> {
  const there = await committed(out);
  if (there === undefined) {
    console.error(`${out} is missing. Write it: the same command without --check.`);
    return 1;
  }
  const difference = firstDifference(there, text);
  if (difference === undefined) return 0;
  console.error(`${out} is stale, from ${difference}\nWrite it: the same command without --check.`);
  return 1;
}

async function write(out: string, text: string): Promise<ExitCode> {
  const there = await committed(out);
  if (there !== text) await writeFile(out, text);
  console.error(there === text ? `${out} is as it should be.` : `${out} is written.`);
  return 0;
}

/** Writes, prints or compares the docs of one registry. */
export async function runDocs(given: readonly string[], settings: DocsSettings): Promise<ExitCode> {
  const source = await oneRegistry(given);
  if (!source.found) {
    console.error(source.why);
    return 2;
  }
  const { as, out, check, stats, json } = settings;
  if (out !== undefined && (await isSameFile(out, source.file))) {
    console.error(`--out ${out} is the registry itself. Name another file.`);
    return 2;
  }
  const form = docsForms[as];
  const text = form.render(source.registry);
  if (stats) {
    const numbers = docsStats(source.registry, form, await tokenCounter());
    console.log(json ? JSON.stringify(numbers, null, 2) : statsTable(numbers));
  }
  if (out === undefined) {
    if (!stats) process.stdout.write(text);
    return 0;
  }
  try {
    return await (check ? compare(out, text) : write(out, text));
  } catch (error) {
    console.error(`--out ${out}: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
}
