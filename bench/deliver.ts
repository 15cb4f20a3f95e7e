import { ARGO_CD_WITHOUT_VALIDATION } from './deliver/figures.js';
import { growth, missed, table, type Row } from './deliver/report.js';
import {
  commitAll,
  commitOne,
  create,
  drift,
  gates,
  heal,
  healFive,
  large,
  restart,
  steady,
  waves,
} from './deliver/rows.js';
import { BenchLab } from './deliver/bench-lab.js';
import { readFlags } from '../contracts/harness/read-flags.js';

/**
 * Measures delivery by our controller, one process, on the real kube-apiserver, etcd (with fsync) and
 * kube-controller-manager of this machine, beside what Argo CD took for the same work on the same kind of machine.
 * Applications have ten resources that need no node (see deliver/workload.ts), one folder each of one repository.
 */
const ROWS = ['create', 'commit', 'one', 'heal', 'five', 'restart', 'drift', 'large', 'waves', 'gates', 'steady'];
const HELP = `usage: npm run bench:deliver [-- --rows ${ROWS.join(',')}]
                            [--n 50,200,500,1000] [--minutes 5] [--quick] [-o json]
  --quick  10 applications, 50 ConfigMaps, 10 seconds of rest; bars are not judged
`;
/** The rows that are about one size; Argo CD was measured with it. */
const SIZE = 200;

const text = { type: 'string' } as const;
const { values: flags } = readFlags({
  options: {
    rows: { ...text, default: ROWS.join(',') },
    n: { ...text, default: '50,200,500,1000' },
    minutes: { ...text, default: '5' },
    quick: { type: 'boolean', default: false },
    output: { ...text, short: 'o', default: 'table' },
    help: { type: 'boolean', default: false },
  },
});
const chosen = new Set(flags.rows.split(','));
const has = (...rows: string[]): boolean => rows.some((row) => chosen.has(row));

async function withLab(work: (stage: BenchLab) => Promise<Row[]>, audit = false): Promise<Row[]> {
  const stage = await BenchLab.open(audit);
  try {
    await stage.start();
    return await work(stage);
  } finally {
    await stage.close();
  }
}

/** On a controller that has delivered before, as one that runs for more than a second has. */
function warm(work: (stage: BenchLab) => Promise<Row[]>): (stage: BenchLab) => Promise<Row[]> {
  return async (stage) => {
    await create(stage, 3);
    return work(stage);
  };
}

/** Rows about so many applications; those about one size only where this is it. */
async function fleet(stage: BenchLab, count: number, isTheSize: boolean): Promise<Row[]> {
  const rows: Row[] = [];
  const keep = (row: Row): void => {
    rows.push(row);
    process.stderr.write(`${row.what}: ${JSON.stringify(row.ours)} ${row.note ?? ''}\n`);
  };
  const first = await create(stage, count);
  if (has('create')) keep(first);
  if (has('commit')) keep(await commitAll(stage, count, 2));
  if (!isTheSize) return rows;
  if (has('one')) keep(await commitOne(stage, count, 10));
  if (has('heal')) for (const how of ['delete', 'modify'] as const) keep(await heal(stage, count, how));
  if (has('restart')) keep(await restart(stage, count));
  if (has('drift')) keep(await drift(stage, count));
  if (has('five')) keep(await healFive(stage, count));
  return rows;
}

async function measureAll(): Promise<Row[]> {
  const sizes = flags.quick ? [10] : flags.n.split(',').map(Number);
  if (sizes.some((size) => !Number.isInteger(size) || size < 1))
    throw new Error(`--n must be whole numbers above 0, not ${flags.n}`);
  const ofOneSize = has('one', 'heal', 'five', 'restart', 'drift');
  const theSize = sizes.includes(SIZE) ? SIZE : (sizes.at(-1) ?? SIZE);
  const rows: Row[] = [];
  for (const size of sizes) {
    if (has('create', 'commit') || (ofOneSize && size === theSize))
      rows.push(...(await withLab((stage) => fleet(stage, size, size === theSize))));
  }
  if (has('large')) rows.push(...(await withLab(warm((stage) => large(stage, flags.quick ? 50 : 1000)))));
  if (has('waves')) rows.push(...(await withLab(warm(async (stage) => [await waves(stage)]))));
  if (has('gates')) rows.push(...(await withLab(warm(async (stage) => [await gates(stage)]))));
  if (has('steady')) {
    const size = flags.quick ? 10 : theSize;
    rows.push(
      ...(await withLab(async (stage) => {
        await create(stage, size);
        return [await steady(stage, size, flags.quick ? 1 / 6 : Number(flags.minutes))];
      }, true)),
    );
  }
  return rows;
}

function print(rows: readonly Row[]): void {
  if (flags.output === 'json') return void process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  process.stdout.write(`${table(rows)}\n\n`);
  for (const row of rows)
    if (row.note !== undefined) process.stdout.write(`${row.what}: ${row.note}${outcome(row.holds)}\n`);
  for (const line of growth(rows)) process.stdout.write(`${line}\n`);
  process.stdout.write(
    `Argo CD's figures were measured before on the same kind of machine, not in this run; with ` +
      `Validate=false it takes ${ARGO_CD_WITHOUT_VALIDATION.seconds} s and ${ARGO_CD_WITHOUT_VALIDATION.cpu} ` +
      'CPU s for the first row at 50.\n',
  );
}

function outcome(holds: boolean | undefined): string {
  if (holds === undefined) return '';
  return holds ? ' -> holds' : ' -> MISSED';
}

async function main(): Promise<number> {
  for (const row of chosen)
    if (!ROWS.includes(row)) throw new Error(`there is no row "${row}"; rows are ${ROWS.join(', ')}`);
  const rows = await measureAll();
  print(rows);
  const over = missed(rows);
  if (!flags.quick) for (const line of over) process.stdout.write(`missed: ${line}\n`);
  return over.length > 0 && !flags.quick ? 1 : 0;
}

if (flags.help) process.stdout.write(HELP);
else process.exitCode = await main();
