import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { realParts } from '../contracts/real/parts.js';
import { startOurs, startReal, type Contender } from './apiserver/contender.js';
import { LoadProcess } from './apiserver/load-process.js';
import type { Job, Outcome } from './apiserver/wire.js';
import { cpuMs, settledBytes } from './apiserver/process-facts.js';
import { holds, median, table, type Measure } from './apiserver/report.js';
import { readFlags } from '../contracts/harness/read-flags.js';

/**
 * Measures our API server and kube-apiserver with etcd in one run: the same clients, the same bodies, in turns. Both
 * speak HTTP/1.1 over TLS and JSON and sync every write to disk. `--quick` is a smoke run; its bars are not judged.
 */
const HELP = 'usage: npm run bench:apiserver [-- --quick] [-o json] [--main dist/main.js]';

interface Sizes {
  readonly rounds: number;
  readonly objects: number;
  readonly clients: number;
  readonly watchers: number;
  readonly events: number;
}

const FULL: Sizes = { rounds: 3, objects: 10_000, clients: 16, watchers: 100, events: 1000 };
const QUICK: Sizes = { rounds: 1, objects: 500, clients: 16, watchers: 10, events: 100 };

const SIDES = ['ours', 'real'] as const;
type Side = (typeof SIDES)[number];
type Both<T> = Record<Side, T>;
type Series = Both<{ ms: number; cpu: number; bytes: number }[]>;

const MB = 1e6;
const { values: flags } = readFlags({
  options: {
    quick: { type: 'boolean', default: false },
    output: { type: 'string', short: 'o', default: 'table' },
    main: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

class Bench {
  readonly load = new LoadProcess();
  servers: Both<Contender> | undefined;

  constructor(
    readonly sizes: Sizes,
    readonly main: string,
  ) {}

  async run(): Promise<Measure[]> {
    const empty = await this.startRounds();
    const { objects, clients, watchers, events } = this.sizes;
    await this.both({ kind: 'namespace', name: 'bench' });
    const creates = await this.createRounds();
    const lists = await this.rounds(this.sizes.rounds + 2, 'list', () => ({
      kind: 'list',
      namespace: 'bench',
      count: objects,
    }));
    const watches = await this.rounds(this.sizes.rounds, 'watch', (round) => ({
      kind: 'watch',
      namespace: `watched-${round}`,
      watchers,
      events,
      clients,
    }));
    const loaded = await this.memory('memory after the load');
    const full = await this.restartRounds();
    const fresh = await this.memory('memory after a restart');
    return [
      timed('spawn to /readyz, empty', empty, { under: 500 }),
      timed(`spawn to /readyz, ${objects} objects`, full, { under: 1500 }),
      perSecond(`creates, ${clients} clients`, creates, objects / this.sizes.rounds),
      timed(`list of ${objects} objects (${megabytes(lists)} MB read, not parsed)`, lists),
      timed(`${watchers} watchers x ${events} events (${megabytes(watches)} MB read)`, watches),
      { name: `memory after that, ${objects} objects`, unit: 'MB', share: 0.5, ...loaded },
      { name: `memory after a restart, ${objects} objects`, unit: 'MB', share: 0.5, ...fresh },
    ];
  }

  async stop(): Promise<void> {
    this.load.close();
    for (const side of SIDES) await this.servers?.[side].stop();
  }

  get up(): Both<Contender> {
    if (this.servers === undefined) throw new Error('no server was started');
    return this.servers;
  }

  /** Starts both on nothing, several times; the last pair stays. */
  async startRounds(): Promise<Series> {
    const series: Series = { ours: [], real: [] };
    for (let round = 0; round < this.sizes.rounds; round++) {
      if (this.servers !== undefined) for (const side of SIDES) await this.servers[side].stop();
      this.servers = { ours: await startOurs(this.main), real: await startReal() };
      this.noteStart(series);
    }
    return series;
  }

  async restartRounds(): Promise<Series> {
    const series: Series = { ours: [], real: [] };
    for (let round = 0; round < this.sizes.rounds; round++) {
      for (const side of SIDES) await this.up[side].restart();
      this.noteStart(series);
    }
    return series;
  }

  noteStart(series: Series): void {
    for (const side of SIDES) {
      const { readyMs, pids } = this.up[side];
      // The first is the one that was started; etcd may have been there before.
      const cpu = cpuMs(pids.slice(0, 1));
      series[side].push({ ms: readyMs, cpu, bytes: 0 });
      progress(`ready      ${side}  ${readyMs.toFixed(0)} ms, processor ${cpu} ms`);
    }
  }

  createRounds(): Promise<Series> {
    const count = this.sizes.objects / this.sizes.rounds;
    const from = (round: number): number => Math.round(round * count);
    return this.rounds(this.sizes.rounds, 'create', (round) => ({
      kind: 'create',
      namespace: 'bench',
      from: from(round),
      count: from(round + 1) - from(round),
      clients: this.sizes.clients,
    }));
  }

  /** The same job on both, in turns, each time the other one first. */
  async rounds(count: number, name: string, job: (round: number) => Job): Promise<Series> {
    const series: Series = { ours: [], real: [] };
    for (let round = 0; round < count; round++) {
      for (const side of round % 2 === 0 ? SIDES : [...SIDES].reverse()) {
        const work = job(round);
        if (work.kind === 'watch') await this.on(side, { kind: 'namespace', name: work.namespace });
        const before = cpuMs(this.up[side].pids);
        const { ms, bytes } = await this.on(side, work);
        const cpu = cpuMs(this.up[side].pids) - before;
        series[side].push({ ms, cpu, bytes });
        progress(`${name.padEnd(10)} ${side}  ${ms.toFixed(0)} ms, processor ${cpu} ms`);
      }
    }
    return series;
  }

  async memory(name: string): Promise<Pick<Measure, 'ours' | 'real' | 'rounds'>> {
    const [ours, real] = [await settledBytes(this.up.ours.pids), await settledBytes(this.up.real.pids)].map(
      (bytes) => bytes / MB,
    );
    progress(`${name}: ours ${(ours ?? 0).toFixed(0)} MB, real ${(real ?? 0).toFixed(0)} MB`);
    return { ours: ours ?? 0, real: real ?? 0, rounds: { ours: [ours ?? 0], real: [real ?? 0] } };
  }

  on(side: Side, job: Job): Promise<Outcome> {
    return this.load.run(this.up[side].target, job);
  }

  async both(job: Job): Promise<void> {
    for (const side of SIDES) await this.on(side, job);
  }
}

function timed(name: string, series: Series, bar: { readonly under?: number } = {}): Measure {
  const ms = (side: Side): number[] => series[side].map((round) => round.ms);
  return {
    name,
    unit: 'ms',
    share: 1,
    ...bar,
    ours: median(ms('ours')),
    real: median(ms('real')),
    rounds: { ours: ms('ours'), real: ms('real') },
    ...cpuOf(series),
  };
}

function perSecond(name: string, series: Series, count: number): Measure {
  const rates = (side: Side): number[] => series[side].map(({ ms }) => (count / ms) * 1000);
  return {
    name,
    unit: 'per second',
    share: 1,
    ours: median(rates('ours')),
    real: median(rates('real')),
    rounds: { ours: rates('ours'), real: rates('real') },
    ...cpuOf(series),
  };
}

function cpuOf(series: Series): Pick<Measure, 'cpuMs'> {
  const cpu = (side: Side): number => median(series[side].map((round) => round.cpu));
  return cpu('ours') + cpu('real') === 0 ? {} : { cpuMs: { ours: cpu('ours'), real: cpu('real') } };
}

function megabytes(series: Series): string {
  return ((series.ours[0]?.bytes ?? 0) / MB).toFixed(0);
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<number> {
  if (flags.help) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  const program = flags.main ?? join(import.meta.dirname, '../dist/main.js');
  if (!existsSync(program)) throw new Error(`${program} is missing: npm run build`);
  const parts = await realParts(['etcd', 'kube-apiserver']);
  if (parts.kind === 'missing') {
    process.stdout.write(`skipped: kube-apiserver (${parts.reason})\n`);
    return 0;
  }
  const bench = new Bench(flags.quick ? QUICK : FULL, program);
  try {
    const measures = await bench.run();
    process.stdout.write(
      flags.output === 'json'
        ? `${JSON.stringify(
            measures.map((measure) => ({ ...measure, holds: holds(measure) })),
            undefined,
            2,
          )}\n`
        : `${table(measures, !flags.quick)}\n`,
    );
    return flags.quick || measures.every(holds) ? 0 : 1;
  } finally {
    await bench.stop();
  }
}

process.exitCode = await main();
