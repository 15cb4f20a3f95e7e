// npm run ledger                    writes docs/seeds.md
// npm run ledger -- --names [000]   says which rows name a test that is not there
// npm run ledger -- --report FILE   says which rows are not proved by a run of the tests; scripts/test.mjs does it
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { countRows, findUnproved, type Test } from '../contracts/seeds/find-unproved.js';
import { readRows, seedsWithRows } from '../contracts/seeds/read-rows.js';
import { writePage } from '../contracts/seeds/write-page.js';
import { readFlags } from '../contracts/harness/read-flags.js';

const ROOT = join(import.meta.dirname, '..');

/** Vitest's own report, as far as it is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

function testsOf(report: Report): Test[] {
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({
      file: relative(ROOT, name),
      fullName,
      state: status === 'passed' || status === 'failed' ? status : ('skipped' as const),
    })),
  );
}

/** Every test by its name, without running it. */
function listTests(files: readonly string[]): Test[] {
  const out = execFileSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'list', ...files, '--json'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 256 << 20,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const listed = JSON.parse(out.slice(out.indexOf('[\n'))) as readonly {
    readonly name: string;
    readonly file: string;
  }[];
  return listed.map(({ name, file }) => ({
    file: relative(ROOT, file),
    fullName: name.replaceAll(' > ', ' '),
    state: 'passed',
  }));
}

function main(): number {
  const { values, positionals } = readFlags({
    options: { names: { type: 'boolean' }, report: { type: 'string' } },
    allowPositionals: true,
  });
  const documents = positionals.length > 0 ? positionals : seedsWithRows();
  const rows = documents.flatMap(readRows);
  if (values.names !== true && values.report === undefined) {
    writeFileSync(join(ROOT, 'docs/seeds.md'), writePage(documents));
    return 0;
  }
  const files = [
    ...new Set(rows.flatMap(({ cases }) => cases.flatMap((each) => (each.kind === 'test' ? [each.file] : [])))),
  ];
  const tests =
    values.report === undefined ? listTests(files) : testsOf(JSON.parse(readFileSync(values.report, 'utf8')) as Report);
  const { wrong, absent } = findUnproved(rows, tests);
  for (const line of [...wrong, ...absent]) console.log(`ledger: ${line}`);
  const short = [
    [wrong, 'not proved'],
    [absent, 'not proved on this machine'],
  ].flatMap(([lines, what]) => (lines?.length === 0 ? [] : [`; ${lines?.length ?? 0} ${String(what)}`]));
  console.log(`ledger: ${countRows(rows)}${short.join('')}`);
  return wrong.length === 0 ? 0 : 1;
}

process.exitCode = main();
