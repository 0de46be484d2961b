// Writes docs/cases.md: which cases of the field are covered by which tests, and what the others wait for.
// --check only compares.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CaseList, casesPage } from './case-coverage.js';
import { testTitles } from './test-titles.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = 'docs/cases.md';

/** Files that have tests: those that vitest looks for, and the contracts that several of them share. */
function testFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testFiles(path);
    return /(\.test|-contract)\.ts$/.test(entry.name) ? [path] : [];
  });
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const list = JSON.parse(read('test/cases/cases.json')) as CaseList;
const tests = ['examples', 'packages', 'test']
  .flatMap(testFiles)
  .map((path) => ({ path, titles: testTitles(path, read(path)) }));

try {
  const now = casesPage(list, tests, dirname(page));
  if (!process.argv.includes('--check')) {
    writeFileSync(join(root, page), now);
  } else if (read(page) !== now) {
    console.error(`${page} is not what the tests say: npm run docs:cases`);
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
