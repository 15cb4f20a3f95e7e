// npm test: every suite at smoke size. npm test -- ROOM: those of a room (render), or of a folder (contracts/deliver).
// The last line is `N passed, N failed, N skipped`; a skip names what is missing.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeSources } from './sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
// Programs of Go live for seconds here: they may take more memory before they look for garbage.
const env = { GOGC: '400', ...process.env };
const run = (command, args) => spawnSync(command, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1;

/** How many suites are named at the end. */
const SLOWEST = 10;
const FROM_SECONDS = 2;

const mark = join(root, 'dist/.built');
const isBuilt = existsSync(mark) && readFileSync(mark, 'utf8') === describeSources(root);
if (!isBuilt && run(process.execPath, ['scripts/build.mjs', '--without-types']) !== 0) process.exit(1);

/** A room is named without its folder; everything else is the test runner's own, also options. */
const filters = process.argv.slice(2).map((word) => {
  if (/^[a-z]+$/.test(word) && existsSync(join(root, 'src', word))) return `src/${word}/`;
  return existsSync(join(root, word)) && !word.endsWith('.ts') ? `${word.replace(/\/$/, '')}/` : word;
});

/** Debian packages that suites compare with, by the program that shows whether they are there. */
const PACKAGES = {
  bwrap: 'bubblewrap',
  'lua5.1': 'lua5.1',
  jsonnet: 'jsonnet',
  faketime: 'faketime',
  chromium: 'chromium',
};
// Go builds a newer kubectl; without it the commands of the documents are played with Debian's.
if (spawnSync('go', ['version']).error !== undefined) PACKAGES.kubectl = 'kubernetes-client';
/** The same for modules of Debian's own Python. */
const MODULES = {
  nbclient: 'python3-nbclient',
  ipykernel: 'python3-ipykernel',
  sklearn: 'python3-sklearn',
  ansible_collections: 'ansible',
  kubernetes: 'python3-kubernetes',
};

/** Installs what is missing where that is allowed; elsewhere, and if it fails, the suites are skipped by name. */
function installPackages() {
  const programs = Object.entries(PACKAGES).filter(
    ([program]) => spawnSync(program, ['--version'], { timeout: 10_000 }).error?.code === 'ENOENT',
  );
  const find = 'import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)';
  const modules = Object.entries(MODULES).filter(
    ([module]) => spawnSync('/usr/bin/python3', ['-c', find, module]).status !== 0,
  );
  const missing = [...programs, ...modules].map(([, name]) => name);
  if (missing.length === 0 || process.getuid?.() !== 0) return;
  const install = () =>
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...missing], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  // The list of packages may be absent or old.
  const isDone = install() || (spawnSync('apt-get', ['update']).status === 0 && install());
  console.log(isDone ? `installed ${missing.join(', ')}` : `cannot install ${missing.join(', ')}`);
}

installPackages();
const scratch = mkdtempSync(join(tmpdir(), 'argosy-test-'));
const report = join(scratch, 'report.json');
const status = run(process.execPath, [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...filters,
]);
const result = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
// Which lines of the documents are proved can only be said after all suites.
const isWhole = result !== undefined && filters.length === 0;
const unproved =
  isWhole && run(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'scripts/ledger.ts', '--report', report]) !== 0
    ? 1
    : 0;
rmSync(scratch, { recursive: true, force: true });
if (!result) {
  console.error('The test runner wrote no report.');
  process.exit(status || 1);
}

const tests = result.testResults.flatMap((file) => file.assertionResults);
const skipped = tests.filter(({ status: state }) => state === 'skipped' || state === 'pending' || state === 'todo');
const brokenFiles = result.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.every(({ status: state }) => state !== 'failed'),
);
// A name says what is missing, its own or that of the group it stands in.
const reasons = new Set(
  skipped.map(({ fullName }) => /skipped\b[^()]*/.exec(fullName)?.[0].trim() ?? `skipped: ${fullName}`),
);
for (const reason of reasons) console.log(reason);
const slow = result.testResults
  .map(({ name, startTime, endTime }) => ({ name: relative(root, name), seconds: (endTime - startTime) / 1000 }))
  .filter(({ seconds }) => seconds >= FROM_SECONDS)
  .sort((a, b) => b.seconds - a.seconds)
  .slice(0, SLOWEST);
if (slow.length > 0) console.log('slowest suites:');
for (const { name, seconds } of slow) console.log(`${seconds.toFixed(1).padStart(8)} s  ${name}`);
const failed = result.numFailedTests + brokenFiles.length + unproved;
console.log(`${result.numPassedTests} passed, ${failed} failed, ${skipped.length} skipped`);
process.exit(failed > 0 ? 1 : status);
