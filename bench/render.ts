import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { median } from './apiserver/report.js';
import { changeOfAll, changesFor } from './render/monorepo-changes.js';
import { makeMonorepo, MonorepoFolder, type Monorepo } from './render/monorepo.js';
import { OurProcess } from './render/our-process.js';
import { timeReal, type Time } from './render/real.js';
import { holds, table, type Change, type Memory, type Passes } from './render/report.js';
import type { Subject } from './render/subject.js';
import { findSubjects } from './render/subjects.js';
import { readFlags } from '../contracts/harness/read-flags.js';

/**
 * Measures rendering: charts and overlays of others, ours in one process and the real tools started for each of them,
 * in turns; what a commit to a monorepo makes us render; memory over many rounds. `--quick` is a smoke run; its bars
 * are not judged.
 */
const HELP = 'usage: npm run bench:render [-- --quick] [-o json]';

interface Sizes {
  readonly rounds: number;
  readonly subjects: number;
  readonly applications: number;
  readonly memoryRounds: number;
}

const FULL: Sizes = { rounds: 5, subjects: 50, applications: 500, memoryRounds: 20 };
const QUICK: Sizes = { rounds: 1, subjects: 5, applications: 60, memoryRounds: 4 };

const { values: flags } = readFlags({
  options: {
    quick: { type: 'boolean', default: false },
    output: { type: 'string', short: 'o', default: 'table' },
    help: { type: 'boolean', default: false },
  },
});

/** Our side as the product is built: one bundle. */
async function bundleOurs(folder: string): Promise<string> {
  const outfile = join(folder, 'ours.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'render/ours.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
  return outfile;
}

/** A process that serves a fleet has seen its charts before. */
const WARM_PASSES = 5;

function middle(all: readonly Time[]): Time {
  return { wall: median(all.map(({ wall }) => wall)), cpu: median(all.map(({ cpu }) => cpu)) };
}

async function passes(bundle: string, name: string, subjects: readonly Subject[], rounds: number): Promise<Passes> {
  const times = { real: [] as Time[], cold: [] as Time[], warm: [] as Time[] };
  for (let round = 0; round < rounds; round++) {
    times.real.push(await timeReal(subjects));
    const ours = await timeOurs(bundle, subjects);
    times.cold.push(ours.cold);
    times.warm.push(ours.warm);
    progress(
      `${name}: ${Object.entries(times)
        .map(([side, all]) => `${side} ${((all.at(-1)?.cpu ?? 0) / 1000).toFixed(2)} s cpu`)
        .join(', ')}`,
    );
  }
  return {
    name,
    count: subjects.length,
    real: middle(times.real),
    cold: middle(times.cold),
    warm: middle(times.warm),
    judged: 'warm',
  };
}

async function timeOurs(bundle: string, subjects: readonly Subject[]): Promise<{ cold: Time; warm: Time }> {
  const begin = performance.now();
  const ours = new OurProcess(bundle);
  const first = await ours.do({ kind: 'pass', subjects });
  // Reading the program counts: it is what a first render costs.
  const cold = { wall: performance.now() - begin, cpu: first.total };
  const warm: Time[] = [];
  for (let pass = 0; pass < WARM_PASSES; pass++) warm.push(await ours.do({ kind: 'pass', subjects }));
  await ours.close();
  return { cold, warm: middle(warm) };
}

/** All of them in one process; the real tools need what they needed before. */
async function together(
  bundle: string,
  parts: readonly Passes[],
  subjects: readonly Subject[],
  rounds: number,
): Promise<Passes> {
  const ours: Awaited<ReturnType<typeof timeOurs>>[] = [];
  for (let round = 0; round < rounds; round++) ours.push(await timeOurs(bundle, subjects));
  const real = { wall: 0, cpu: 0 };
  for (const part of parts) {
    real.wall += part.real.wall;
    real.cpu += part.real.cpu;
  }
  return {
    name: 'in one process',
    count: subjects.length,
    real,
    cold: middle(ours.map(({ cold }) => cold)),
    warm: middle(ours.map(({ warm }) => warm)),
    judged: 'cold',
  };
}

/** A repository of our own, and one process that follows it. */
async function withMonorepo<T>(
  bundle: string,
  folder: string,
  { applications, hasSmallCaches }: { applications: number; hasSmallCaches: boolean },
  use: (repository: Monorepo, disk: MonorepoFolder, ours: OurProcess) => Promise<T>,
): Promise<T> {
  const repository = makeMonorepo(1, applications);
  const place = mkdtempSync(join(folder, 'monorepo-'));
  mkdirSync(join(place, 'work'));
  const disk = new MonorepoFolder(join(place, 'work'), repository.files);
  const ours = new OurProcess(bundle);
  try {
    await ours.do({
      kind: 'open',
      url: pathToFileURL(disk.folder).href,
      data: join(place, 'data'),
      applications: repository.applications,
      hasSmallCaches,
    });
    return await use(repository, disk, ours);
  } finally {
    await ours.close();
  }
}

async function monorepo(bundle: string, folder: string, { applications, rounds }: Sizes): Promise<Change[]> {
  return withMonorepo(bundle, folder, { applications, hasSmallCaches: false }, async (repository, disk, ours) => {
    const first = await ours.do({ kind: 'follow' });
    progress(`monorepo: first ${first.wall.toFixed(0)} ms, ${first.objects} objects`);
    const found = new Map<string, Change[]>();
    for (let round = 0; round < rounds; round++) {
      for (const { name, files, expected, under } of changesFor(repository, round)) {
        disk.commit(files);
        const { wall, rendered } = await ours.do({ kind: 'follow' });
        const isExact = JSON.stringify([...rendered].sort()) === JSON.stringify([...expected].sort());
        found.set(name, [
          ...(found.get(name) ?? []),
          {
            name,
            expected: expected.length,
            rendered: rendered.length,
            isExact,
            wall,
            slowest: wall,
            ...(under === undefined ? {} : { under }),
          },
        ]);
        progress(`monorepo: ${name}: ${rendered.length} of ${expected.length}, ${wall.toFixed(0)} ms`);
      }
    }
    const cold: Change = {
      name: 'the first of all',
      expected: applications,
      rendered: first.rendered.length,
      isExact: first.rendered.length === applications,
      wall: first.wall,
      slowest: first.wall,
    };
    return [cold, ...[...found.values()].map(ofAllRounds)];
  });
}

function ofAllRounds(rounds: readonly Change[]): Change {
  const [first] = rounds;
  if (first === undefined) throw new Error('nothing was measured');
  const walls = rounds.map(({ wall }) => wall);
  return { ...(rounds.find(({ isExact }) => !isExact) ?? first), wall: median(walls), slowest: Math.max(...walls) };
}

/**
 * Every round renders everything: the charts and overlays again, and a monorepo whose applications have all changed.
 */
async function memory(
  bundle: string,
  folder: string,
  subjects: readonly Subject[],
  { applications, memoryRounds }: Sizes,
): Promise<Memory> {
  return withMonorepo(bundle, folder, { applications, hasSmallCaches: true }, async (repository, disk, ours) => {
    const rounds: number[] = [];
    for (let round = 0; round < memoryRounds; round++) {
      disk.commit(changeOfAll(repository, round));
      await ours.do({ kind: 'follow' });
      await ours.do({ kind: 'pass', subjects });
      rounds.push((await ours.do({ kind: 'weigh' })).memory);
      progress(`memory: ${((rounds.at(-1) ?? 0) / (1 << 20)).toFixed(1)} MB`);
    }
    return {
      name: `${memoryRounds} rounds of ${subjects.length} charts and overlays and ${applications} changed applications`,
      rounds,
    };
  });
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<number> {
  if (flags.help) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  const sizes = flags.quick ? QUICK : FULL;
  const subjects = await findSubjects(sizes.subjects);
  if (typeof subjects === 'string') {
    process.stdout.write(`${subjects}\n`);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'argosy-bench-'));
  try {
    const bundle = await bundleOurs(folder);
    const [charts, overlays] = [
      subjects.filter(({ kind }) => kind === 'chart'),
      subjects.filter(({ kind }) => kind === 'overlay'),
    ];
    const parts = [
      await passes(bundle, 'charts', charts, sizes.rounds),
      await passes(bundle, 'overlays', overlays, sizes.rounds),
    ];
    const report = {
      passes: [...parts, await together(bundle, parts, subjects, sizes.rounds)],
      changes: await monorepo(bundle, folder, sizes),
      memory: await memory(bundle, folder, subjects, sizes),
    };
    process.stdout.write(
      flags.output === 'json' ? `${JSON.stringify(report, undefined, 2)}\n` : `${table(report, !flags.quick)}\n`,
    );
    return flags.quick || holds(report) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
