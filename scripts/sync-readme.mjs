// Writes the files that a README or a page of docs/ names in comments into the code blocks below them; two
// names make a diff. --check only compares.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lineDiff } from './line-diff.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (name) => readFileSync(join(root, name), 'utf8');

const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
for (const readme of [
  'README.md',
  'examples/adopt/README.md',
  ...pages.map((name) => `docs/${name}`),
]) {
  const before = read(readme);
  const after = before
    .replace(
      /<!-- (\S+) -->\n```ts\n[\s\S]*?```/g,
      (_, name) => `<!-- ${name} -->\n\`\`\`ts\n${read(name)}\`\`\``,
    )
    .replace(/<!-- (\S+) (\S+) -->\n```diff\n[\s\S]*?```/g, (_, old, now) => {
      const diff = lineDiff(read(old), read(now)).join('\n');
      return `<!-- ${old} ${now} -->\n\`\`\`diff\n${diff}\n\`\`\``;
    });
  if (before === after) continue;
  if (process.argv.includes('--check')) {
    console.error(`${readme} differs from the files it shows: node scripts/sync-readme.mjs`);
    process.exitCode = 1;
  } else {
    writeFileSync(join(root, readme), after);
  }
}
