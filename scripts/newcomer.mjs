// Adopts the packed packages in a project of its own, as a newcomer does: installs them, type-checks
// examples/adopt as ES modules (resolved by Node's rules and by a bundler's) and as CommonJS, runs both,
// and then both programs. Needs the network for what is not in npm's cache.
// npm run newcomer -- [--node 20,22,24] [--driver libsql] [--keep] [--json]
//   --node     versions of Node.js, through npx; default: the running one
//   --driver   libsql, better-sqlite3 or node:sqlite (which Node.js 22 and later has); default: libsql
//   --keep     leaves the project there and says where
//   --json     prints what ran where alone, as JSON
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    node: { type: 'string', default: process.versions.node },
    driver: { type: 'string', default: 'libsql' },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const root = fileURLToPath(new URL('..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'holdfast-newcomer-'));
const results = [];

/** One thing that a newcomer does. What it prints is shown when it fails. */
function step(what, program, args, options = {}) {
  if (!values.json) console.error(what);
  const { env, cwd = project } = options;
  const made = spawnSync(program, args, { cwd, encoding: 'utf8', env: { ...process.env, ...env } });
  const ok = made.status === 0;
  results.push({ what, ok });
  if (!ok) console.error(`${what}: failed\n${made.error ?? ''}${made.stdout}${made.stderr}`);
  return ok;
}

/** A project of today: what the examples are made with, a driver, and the tarballs. */
function writeProject() {
  const pinned = readJson('examples/package.json').dependencies;
  const { devDependencies: ours } = readJson('package.json');
  const tarballs = readdirSync(join(project, 'tarballs')).map((file) => `./tarballs/${file}`);
  const libraries = Object.entries(pinned).filter(([name]) =>
    /^(@langchain\/(core|langgraph)|langchain|zod)$/.test(name),
  );
  const driver = values.driver === 'node:sqlite' ? [] : [[values.driver, driverVersion()]];
  writeJson('package.json', {
    private: true,
    dependencies: Object.fromEntries([...libraries, ...driver]),
    devDependencies: { typescript: ours.typescript, '@types/node': ours['@types/node'] },
  });
  for (const [folder, type] of [
    ['esm', 'module'],
    ['cjs', 'commonjs'],
  ]) {
    for (const example of ['adopt', 'quick-start/tools.registry.ts']) {
      const isSource = (from) => !/\.before\.ts$|\.md$/.test(from);
      const to = example === 'adopt' ? folder : join(folder, 'tools.registry.ts');
      cpSync(join(root, 'examples', example), join(project, to), {
        recursive: true,
        filter: isSource,
      });
    }
    writeJson(`${folder}/package.json`, { type });
    const compilerOptions = {
      strict: true,
      target: 'es2022',
      module: 'nodenext',
      skipLibCheck: true,
      types: ['node'],
    };
    writeJson(`${folder}/tsconfig.json`, { compilerOptions, include: ['*.ts'] });
  }
  return tarballs;
}

function driverVersion() {
  return readJson('packages/effect-ledger/package.json').devDependencies[values.driver] ?? 'latest';
}

function readJson(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}

function writeJson(file, value) {
  writeFileSync(join(project, file), JSON.stringify(value, null, 2));
}

/** The running Node.js, or another one through npx. */
function underNode(version, args) {
  const isRunning =
    process.versions.node.startsWith(`${version}.`) || process.versions.node === version;
  return isRunning
    ? [process.execPath, args]
    : ['npx', ['-y', '-p', `node@${version}`, 'node', ...args]];
}

function adopt() {
  const pack = [join(root, 'scripts/pack.mjs'), join(project, 'tarballs')];
  if (!step('packs the packages', process.execPath, pack, { cwd: root })) return;
  const tarballs = writeProject();
  if (!step('installs them', 'npm', ['install', '--no-audit', '--no-fund', ...tarballs])) return;
  const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit'];
  step('type-checks as a bundler resolves', 'npx', ['tsc', '-p', 'esm', ...bundler]);
  for (const kind of ['esm', 'cjs']) {
    if (!step(`type-checks and compiles ${kind}`, 'npx', ['tsc', '-p', kind])) continue;
    for (const version of values.node.split(',')) {
      const [program, args] = underNode(version, [join(kind, 'all-three.js')]);
      const env = { LEDGER: join(project, `${kind}-${version}.db`) };
      if (!step(`${kind} on Node.js ${version} with ${values.driver}`, program, args, { env }))
        continue;
      const list = ['node_modules/@holdfast/effect-ledger/dist/cli/main.mjs', 'list', env.LEDGER];
      step(`effect-ledger list on Node.js ${version}`, ...underNode(version, list));
    }
  }
  step('tool-registry check', 'npx', ['@holdfast/tool-registry', 'check', 'esm/tools.registry.ts']);
}

mkdirSync(join(project, 'tarballs'));
adopt();
if (values.json) console.log(JSON.stringify(results, null, 2));
else console.table(results);
if (values.keep) console.error(`The project: ${project}`);
else rmSync(project, { recursive: true, force: true });
if (results.some(({ ok }) => !ok)) process.exitCode = 1;
