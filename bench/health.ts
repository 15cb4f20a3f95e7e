import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { goProgram } from '../contracts/real/go-build.js';
import { median } from './apiserver/report.js';
import { LineProcess, type Answer, type Request } from './health/line-process.js';
import { holds, mixedHolds, table, type Measure, type Mixed } from './health/report.js';
import { loadSubjects, type Subject } from './health/subjects.js';
import { readFlags } from '../contracts/harness/read-flags.js';

/**
 * Measures health checks in one run: Argo CD's way on gopher-lua (a new state for each check) and ours, the same
 * scripts and objects in turns. `--quick` is a smoke run; its bars are not judged.
 */
const HELP = 'usage: npm run bench:health [-- --quick] [-o json]';

interface Sizes {
  readonly rounds: number;
  readonly checks: { readonly gopherLua: number; readonly warm: number; readonly cold: number };
  readonly objects: number;
}

const FULL: Sizes = { rounds: 9, checks: { gopherLua: 3000, warm: 60_000, cold: 3000 }, objects: 10_000 };
const QUICK: Sizes = { rounds: 1, checks: { gopherLua: 100, warm: 2000, cold: 100 }, objects: 500 };
const SIDES = ['gopherLua', 'warm', 'cold'] as const;

const { values: flags } = readFlags({
  options: {
    quick: { type: 'boolean', default: false },
    output: { type: 'string', short: 'o', default: 'table' },
    help: { type: 'boolean', default: false },
  },
});

class Bench {
  constructor(
    readonly sizes: Sizes,
    readonly gopherLua: LineProcess,
    readonly ours: LineProcess,
  ) {}

  async checks(subjects: readonly Subject[]): Promise<Measure[]> {
    for (const subject of subjects) await this.load(subject);
    // Every script once more on both, so that no side is timed while it warms up.
    for (const { name } of subjects) for (const side of SIDES) await this.time(side, name);
    const measures: Measure[] = [];
    for (const { name } of subjects) measures.push({ name, ...(await this.rounds(name)) });
    return measures;
  }

  /** The whole set of kinds; what a first pass costs counts too. */
  async mixed(byLua: boolean): Promise<Mixed> {
    const times: number[] = [];
    for (let round = 0; round < Math.max(3, this.sizes.rounds); round++) {
      const { ms = Infinity } = await this.ours.request({
        kind: 'mixed',
        catalogue: join(import.meta.dirname, '../catalogue'),
        count: this.sizes.objects,
        byLua,
      });
      times.push(ms);
      progress(`mixed      ${ms.toFixed(0)} ms`);
    }
    return {
      name:
        `${this.sizes.objects} mixed objects, ` +
        (byLua ? 'four kinds by scripts of an administrator' : 'by the catalogue'),
      slowest: Math.max(...times),
      middle: median(times),
      under: 1000,
    };
  }

  /** Both must say the same before it means anything how fast they say it. */
  private async load(subject: Subject): Promise<void> {
    const request: Request = { kind: 'load', ...subject };
    const theirs = await this.gopherLua.request(request);
    const ours = await this.ours.request(request);
    subject.objects.forEach((_, index) => {
      const [real, mine] = [JSON.stringify(theirs.verdicts?.[index]), JSON.stringify(ours.verdicts?.[index])];
      if (real !== mine) throw new Error(`${subject.name}, object ${index}: gopher-lua says ${real}, ours ${mine}`);
    });
  }

  private async rounds(name: string): Promise<Record<(typeof SIDES)[number], number>> {
    const times = { gopherLua: [] as number[], warm: [] as number[], cold: [] as number[] };
    for (let round = 0; round < this.sizes.rounds; round++) {
      for (const side of round % 2 === 0 ? SIDES : [...SIDES].reverse()) times[side].push(await this.time(side, name));
      progress(
        `${name.padEnd(22)} ${SIDES.map((side) => `${side} ${(times[side].at(-1) ?? 0).toFixed(2)}`).join(', ')} us`,
      );
    }
    return { gopherLua: median(times.gopherLua), warm: median(times.warm), cold: median(times.cold) };
  }

  /** Microseconds a check. */
  private async time(side: (typeof SIDES)[number], name: string): Promise<number> {
    const count = this.sizes.checks[side];
    const { ms = Infinity }: Answer =
      side === 'gopherLua'
        ? await this.gopherLua.request({ kind: 'run', name, count })
        : await this.ours.request({ kind: side === 'warm' ? 'run' : 'cold', name, count });
    return (ms * 1000) / count;
  }
}

/** Our side as the product is built: one bundle. */
async function bundleOurs(folder: string): Promise<string> {
  const outfile = join(folder, 'ours.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'health/ours.ts')],
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

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<number> {
  if (flags.help) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  const program = await goProgram('health-bench', join(import.meta.dirname, 'health/go'));
  if (program.kind === 'missing') {
    process.stdout.write(`skipped: gopher-lua (${program.reason})\n`);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'argosy-bench-'));
  const bench = new Bench(
    flags.quick ? QUICK : FULL,
    new LineProcess(program.path),
    new LineProcess(process.execPath, ['--disable-proto=delete', await bundleOurs(folder)]),
  );
  try {
    const measures = await bench.checks(loadSubjects());
    const mixed = [await bench.mixed(false), await bench.mixed(true)];
    process.stdout.write(
      flags.output === 'json'
        ? `${JSON.stringify({ measures, mixed }, undefined, 2)}\n`
        : `${table(measures, mixed, !flags.quick)}\n`,
    );
    return flags.quick || (measures.every(holds) && mixed.every(mixedHolds)) ? 0 : 1;
  } finally {
    bench.gopherLua.close();
    bench.ours.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
