// Writes the files that README.md names in comments into the code blocks below them. --check only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = join(root, 'README.md');
const before = readFileSync(file, 'utf8');
const after = before.replace(
  /<!-- (\S+) -->\n```ts\n[\s\S]*?```/g,
  (_, name) => `<!-- ${name} -->\n\`\`\`ts\n${readFileSync(join(root, name), 'utf8')}\`\`\``,
);
if (process.argv.includes('--check')) {
  if (before !== after) {
    console.error('README.md differs from the files it shows: node scripts/sync-readme.mjs');
    process.exit(1);
  }
} else {
  writeFileSync(file, after);
}
