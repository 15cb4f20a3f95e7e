import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalogue } from '../src/cli/health/load-catalogue.js';
import { collectFiles, openTriage } from '../src/control/index.js';
import { readFlags } from '../scripts/read-flags.js';
import { SnapshotBuilder, type Report, type Snapshot } from '../src/triage/index.js';
import { ABLATIONS, numberOf } from './triage/ablate.js';
import { Score } from './triage/score.js';
import { readCase, type WorldCase } from './triage/world-case.js';

/** `npm run bench:triage -- DIR...`: triage of fault worlds (npm run world -- --cases N --out DIR) against their labels. */
const judge = openTriage(loadCatalogue(join(import.meta.dirname, '../catalogue')), () => 0);
const SHUFFLES = 10;

function worldsBelow(root: string): string[] {
  if (existsSync(join(root, 'label.yaml'))) return [root];
  if (!existsSync(root)) return [];
  return readdirSync(root).sort().map((name) => join(root, name)).filter((folder) => existsSync(join(folder, 'label.yaml')));
}

class TriageBench {
  readonly #known = new Score('faults');
  readonly #heldOut = new Score('held-out faults');
  readonly #ablated = ABLATIONS.map((ablation) => ({ ablation, score: new Score(ablation.name) }));
  readonly #missed: string[] = [];
  readonly #falseAlarms: string[] = [];
  #controls = 0;
  #shuffled = 0;
  #unequal = 0;

  async look(folder: string): Promise<void> {
    const world = readCase(folder);
    const snapshot = await collectFiles([folder], { now: 0 });
    const report = judge(snapshot);
    this.#shuffle(snapshot, report);
    if (world.faults.length === 0) {
      this.#controls++;
      if (report.causes.some(({ severity }) => severity === 'P0')) this.#falseAlarms.push(`${folder}: ${report.causes[0]?.title ?? ''}`);
      return;
    }
    this.#count(world, snapshot, report);
  }

  #count(world: WorldCase, snapshot: Snapshot, report: Report): void {
    const isHeldOut = world.faults.some((fault) => fault.isHeldOut);
    const isFirst = (isHeldOut ? this.#heldOut : this.#known).count(world, report);
    // Whoever writes rules does not look at what is held out.
    if (!isFirst && !isHeldOut) this.#missed.push(`${world.folder}: ${world.faults.map(({ name }) => name).join(', ')} -> ${report.causes[0]?.title ?? 'nothing'}`);
    for (const { ablation, score } of this.#ablated) score.count(world, judge(ablation.see(snapshot, world)));
  }

  /** The same things in another order give the same bytes. */
  #shuffle(snapshot: Snapshot, report: Report): void {
    const wanted = JSON.stringify(report);
    const times = this.#shuffled === 0 ? SHUFFLES : 1;
    for (let turn = 0; turn < times; turn++) {
      const mixed = <T>(list: readonly T[]): T[] => list.map((value, index) => ({ value, place: numberOf(`${turn} ${index}`) })).sort((a, b) => a.place - b.place).map(({ value }) => value);
      const builder = new SnapshotBuilder();
      for (const object of mixed(snapshot.objects)) builder.add(object, 'shuffled');
      for (const event of mixed(snapshot.events)) builder.addEvent(event);
      for (const log of mixed(snapshot.logs)) builder.addLog(log);
      for (const listing of mixed(snapshot.listings)) builder.listing(listing);
      this.#shuffled++;
      this.#unequal += JSON.stringify(judge(builder.build(snapshot.time))) === wanted ? 0 : 1;
    }
  }

  print(withMissed: boolean): void {
    for (const score of [this.#known, this.#heldOut]) console.log(score.line());
    console.log(`${'without a fault'.padEnd(28)} ${String(this.#controls).padStart(5)} cases  with a P0: ${this.#falseAlarms.length}`);
    for (const { score } of this.#ablated) console.log(score.line());
    console.log(`${'shuffled'.padEnd(28)} ${String(this.#shuffled).padStart(5)} times  other bytes: ${this.#unequal}`);
    if (withMissed) for (const line of [...this.#missed, ...this.#falseAlarms]) console.log(line);
  }
}

const { values, positionals } = readFlags({ options: { missed: { type: 'boolean', default: false } }, allowPositionals: true });
const folders = positionals.flatMap(worldsBelow);
if (folders.length === 0) {
  process.stderr.write('usage: npm run bench:triage -- DIR... [--missed], with fault worlds below DIR: npm run world -- --cases 60 --out DIR writes them\n');
  process.exit(20);
}
const bench = new TriageBench();
for (const folder of folders) await bench.look(folder);
bench.print(values.missed);
