// npx tsx contracts/render/helm/compare.ts [MODULE/CHART | MODULE | FOLDER ...] [--values NAME] [--variants N]
// [--mutants N] [--random N] [--seed N] [--diff] [--all] Renders charts of others with the real helm and with ours, and
// prints where they part. `--variants` adds values by chance, `--mutants` changes templates by chance, `--random`
// compares so many charts made by chance and no others, `--diff` prints the whole difference, `--all` also prints what
// is equal.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { caseName, casesOf, type HelmCase } from './cases.js';
import { chartAt, listCharts, type ChartFolder } from './charts.js';
import { compareRuns, COMPARISON_OUTCOMES, type Comparison, type ComparisonOutcome } from './difference.js';
import { runOurs } from './ours.js';
import { randomChart } from './random-chart.js';
import { helmArgs, RealHelm } from './real-helm.js';
import { mutantOf } from './mutants.js';
import { variantOf } from './variants.js';
import { readFlags } from '../../harness/read-flags.js';

/** Both renderings of one case, compared. */
export async function compareCase(helm: RealHelm, wanted: HelmCase): Promise<Comparison> {
  const real = await helm.run(wanted);
  return compareRuns(real, () => helm.runAgain(wanted), runOurs(wanted, real.at));
}

async function chartsFor(words: readonly string[]): Promise<ChartFolder[]> {
  const folders = words.filter((word) => existsSync(join(word, 'Chart.yaml')));
  const names = words.filter((word) => !folders.includes(word));
  if (names.length === 0 && folders.length > 0) return folders.map(chartAt);
  const listed = await listCharts();
  if (listed.kind === 'missing') throw new Error(`skipped: charts (${listed.reason})`);
  const isWanted = ({ name }: ChartFolder): boolean =>
    names.length === 0 ||
    names.some((each) => name === each || name.startsWith(`${each}/`) || name.endsWith(`/${each}`));
  return [...listed.charts.filter(isWanted), ...folders.map(chartAt)];
}

async function wholeDifference(helm: RealHelm, wanted: HelmCase): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-diff-'));
  try {
    const real = await helm.run(wanted);
    const ours = runOurs(wanted, real.at);
    writeFileSync(join(folder, 'helm'), real.code === 0 ? real.stdout : real.stderr);
    writeFileSync(join(folder, 'ours'), ours.kind === 'text' ? ours.text : ours.message);
    return execFileSync('sh', ['-c', 'diff -U 4 helm ours || true'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function main(): Promise<void> {
  const { values: flags, positionals } = readFlags({
    allowPositionals: true,
    options: {
      values: { type: 'string' },
      variants: { type: 'string', default: '0' },
      mutants: { type: 'string', default: '0' },
      random: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      diff: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
    },
  });
  const helm = await RealHelm.open();
  if (typeof helm === 'string') throw new Error(helm);
  const counts = new Map<ComparisonOutcome, number>();
  const numbers = (count: string): number[] =>
    Array.from({ length: Number(count) }, (_, index) => Number(flags.seed) * 1_000 + index);
  const made = numbers(flags.random).map((seed) => () => randomChart(seed));
  const charts = made.length > 0 ? [] : await chartsFor(positionals);
  const makers: (() => HelmCase & { drop?(): void })[] = [
    ...made,
    ...charts.flatMap((chart) => [
      ...casesOf(chart).map((each) => () => each),
      ...numbers(flags.variants).map((seed) => () => variantOf(chart, seed)),
      ...numbers(flags.mutants).map((seed) => () => mutantOf(chart, seed)),
    ]),
  ];
  for (const make of makers) {
    const wanted = make();
    if (flags.values !== undefined && wanted.values !== flags.values) continue;
    const { verdict, first } = await compareCase(helm, wanted);
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    if (first !== '' || flags.all)
      console.log(
        `${verdict}: ${caseName(wanted)}` +
          (first === '' ? '' : `\n  helm ${helmArgs(wanted).join(' ')}\n${first.replaceAll(/^/gm, '  ')}`),
      );
    if (flags.diff && first !== '') console.log(await wholeDifference(helm, wanted));
    if (first === '') wanted.drop?.();
  }
  console.log(COMPARISON_OUTCOMES.map((verdict) => `${counts.get(verdict) ?? 0} ${verdict}`).join(', '));
}

if (process.argv[1] === import.meta.filename) await main();
