import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readFlags } from '../contracts/harness/read-flags.js';
import { collectFiles } from '../src/control/index.js';
import type { Report } from '../src/triage/index.js';
import { runTriage, type TriageRun } from './triage/large/run-triage.js';
import { writeDump, type Dump } from './triage/large/write-dump.js';

/**
 * Measures `argosy triage -f DUMP` as a whole process on generated dumps of fleets: its time and its most memory for
 * four sizes, how they grow, the same size in other shapes, and how fast the reader is. What is broken in a dump must
 * be found in it. `--quick` is a smoke run; its bars are not judged.
 */
const HELP = `usage: npm run bench:triage-size [-- --quick] [--seed N] [--main dist/main.js]
`;
const ROOT = resolve(import.meta.dirname, '..');
const MB = 1e6;
/** MB a second of the reader of JSON. */
const READING_BAR = 15;

interface Row {
  readonly name: string;
  readonly applications: number;
  readonly objects: number;
  readonly namespaces: number;
  readonly oneBrokenIn: number;
  readonly most?: { readonly seconds: number; readonly megabytes?: number };
}

const SIZES: readonly Row[] = [
  { name: 'small', applications: 50, objects: 5_000, namespaces: 5, oneBrokenIn: 40 },
  {
    name: 'usual',
    applications: 200,
    objects: 20_000,
    namespaces: 20,
    oneBrokenIn: 40,
    most: { seconds: 5, megabytes: 600 },
  },
  { name: 'large', applications: 1_500, objects: 60_000, namespaces: 150, oneBrokenIn: 40 },
  { name: 'largest', applications: 5_000, objects: 200_000, namespaces: 500, oneBrokenIn: 40, most: { seconds: 60 } },
];
const SHAPES: readonly Row[] = [
  { name: 'in three namespaces', applications: 200, objects: 20_000, namespaces: 3, oneBrokenIn: 40 },
  { name: 'everything broken', applications: 200, objects: 20_000, namespaces: 3, oneBrokenIn: 1 },
];
const SMOKE: readonly Row[] = [{ name: 'smoke', applications: 20, objects: 1_000, namespaces: 3, oneBrokenIn: 4 }];

const text = { type: 'string' } as const;
const { values: flags } = readFlags({
  options: {
    quick: { type: 'boolean', default: false },
    seed: { ...text, default: '1' },
    main: { ...text, default: join(ROOT, 'dist/main.js') },
    help: { type: 'boolean', default: false },
  },
});

/** What the dump has and the report does not. */
function missing({ faults, brokenApplications, objects }: Dump, { causes, summary }: Report): string[] {
  const told = new Set(
    causes
      .filter(({ severity }) => severity !== 'P3')
      .flatMap((cause) => cause.objects.map(({ kind, name }) => `${kind}/${name}`)),
  );
  const unseen = [...faults]
    .filter(([, keys]) => ![...keys].some((key) => told.has(key)))
    .map(([fault]) => `no cause names ${fault}`);
  return [
    ...unseen,
    ...(summary.broken === brokenApplications
      ? []
      : [`${summary.broken} applications are called broken, ${brokenApplications} are`]),
    ...(summary.objects === objects ? [] : [`${summary.objects} objects were read of ${objects}`]),
  ];
}

const cell = (value: string, width: number): string => value.padStart(width);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** One size, written, judged and removed again. */
async function measure(
  row: Row,
  scratch: string,
): Promise<{ readonly run: Pick<TriageRun, 'cpuSeconds'>; readonly dump: Dump; readonly isGood: boolean }> {
  const folder = join(scratch, row.name);
  mkdirSync(folder);
  const dump = writeDump(folder, { ...row, seed: Number(flags.seed) });
  const { stdout, stderr, ...ran } = await runTriage(flags.main, folder, scratch);
  if (ran.code !== 2) throw new Error(`argosy triage ended with ${String(ran.code)}, and the dump has a P0: ${stderr}`);
  const run = { ...ran, report: JSON.parse(stdout) as Report };
  const wrong = missing(dump, run.report);
  if (row.most !== undefined && run.seconds > row.most.seconds) wrong.push(`more than ${row.most.seconds} s`);
  if (row.most?.megabytes !== undefined && run.megabytes > row.most.megabytes)
    wrong.push(`more than ${row.most.megabytes} MB`);
  const bar =
    row.most === undefined
      ? ''
      : `bar ${row.most.seconds} s${row.most.megabytes === undefined ? '' : ` and ${row.most.megabytes} MB`}`;
  print(
    [
      row.name.padEnd(20),
      cell(String(row.applications), 6),
      cell(String(dump.objects), 8),
      cell(String(dump.events), 7),
      cell((dump.bytes / MB).toFixed(0), 6),
      cell(run.seconds.toFixed(1), 7),
      cell(run.cpuSeconds.toFixed(1), 7),
      cell(run.megabytes.toFixed(0), 7),
      cell(String(run.report.causes.length), 7),
      `  ${[bar, ...wrong].filter((part) => part !== '').join('; ')}`,
    ].join(' '),
  );
  if (row.name === 'usual' || flags.quick) await measureReading(folder, dump);
  rmSync(folder, { recursive: true });
  return { run, dump, isGood: wrong.length === 0 };
}

let readingRate = Infinity;

async function measureReading(folder: string, { bytes }: Dump): Promise<void> {
  const begin = performance.now();
  await collectFiles([folder], { now: 0 });
  readingRate = bytes / MB / ((performance.now() - begin) / 1000);
}

async function main(): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'argosy-triage-size-'));
  try {
    print(
      [
        ''.padEnd(20),
        cell('apps', 6),
        cell('objects', 8),
        cell('events', 7),
        cell('MB', 6),
        cell('wall s', 7),
        cell('cpu s', 7),
        cell('peak MB', 7),
        cell('causes', 7),
      ].join(' '),
    );
    const sizes = [];
    for (const row of flags.quick ? SMOKE : SIZES) sizes.push(await measure(row, scratch));
    for (const row of flags.quick ? [] : SHAPES) sizes.push(await measure(row, scratch));
    print(`read at ${readingRate.toFixed(0)} MB/s (bar ${READING_BAR})`);
    const [small, , , largest] = sizes;
    if (!flags.quick && small !== undefined && largest !== undefined) {
      // The start of the program takes the same time for every size, so growth is measured without the smallest one.
      const [, usual] = sizes;
      const [times, work] = [
        (largest.run.cpuSeconds - small.run.cpuSeconds) / ((usual?.run.cpuSeconds ?? 0) - small.run.cpuSeconds),
        (largest.dump.bytes - small.dump.bytes) / ((usual?.dump.bytes ?? 0) - small.dump.bytes),
      ];
      print(
        `growth: ${work.toFixed(1)} times the bytes take ${times.toFixed(1)} times the processor time ` +
          `(power ${(Math.log(times) / Math.log(work)).toFixed(2)})`,
      );
    }
    return sizes.every(({ isGood }) => isGood) && (flags.quick || readingRate >= READING_BAR) ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (flags.help) process.stdout.write(HELP);
else process.exitCode = await main();
