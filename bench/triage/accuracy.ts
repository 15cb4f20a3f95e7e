import { loadCatalogue, collectFiles, openTriage } from '../../src/control/index.js';
import { SnapshotBuilder, type Report, type Snapshot } from '../../src/triage/index.js';
import { join } from 'node:path';
import { ABLATIONS, numberOf } from './ablate.js';
import { Score } from './score.js';
import { readCase, type WorldCase } from './world-case.js';

const SHUFFLES = 10;

/** How well triage finds what the labels of fault worlds say, with all to see and with less. */
export class Accuracy {
  readonly known = new Score('faults');
  readonly heldOut = new Score('held-out faults');
  readonly all = new Score('all faults');
  readonly ablated = ABLATIONS.map((ablation) => ({ ablation, score: new Score(ablation.name) }));
  readonly falseAlarms: string[] = [];
  controls = 0;
  shuffled = 0;
  unequal = 0;
  readonly #missed: string[] = [];
  readonly #judge = openTriage(loadCatalogue(join(import.meta.dirname, '../../catalogue')), () => 0);

  /** Counts one world; the first one is shuffled ten times, every other once. */
  async measure(folder: string): Promise<void> {
    const world = readCase(folder);
    const snapshot = await collectFiles([folder], { now: 0 });
    const report = this.#judge(snapshot);
    this.#shuffle(snapshot, report);
    if (world.faults.length > 0) {
      this.#count(world, snapshot, report);
      return;
    }
    this.controls++;
    if (report.causes.some(({ severity }) => severity === 'P0'))
      this.falseAlarms.push(`${folder}: ${report.causes[0]?.title ?? ''}`);
  }

  lines(): string[] {
    return [
      ...[this.known, this.heldOut, this.all].map((score) => score.line()),
      `${'without a fault'.padEnd(28)} ${String(this.controls).padStart(5)} cases  with a P0: ` +
        `${this.falseAlarms.length}`,
      ...this.ablated.map(({ score }) => score.line()),
      `${'shuffled'.padEnd(28)} ${String(this.shuffled).padStart(5)} times  other bytes: ${this.unequal}`,
    ];
  }

  /** What it got wrong, except where a fault is held out. */
  missed(): string[] {
    return [...this.#missed, ...this.falseAlarms];
  }

  #count(world: WorldCase, snapshot: Snapshot, report: Report): void {
    const isHeldOut = world.faults.some((fault) => fault.isHeldOut);
    const isFirst = (isHeldOut ? this.heldOut : this.known).count(world, report);
    this.all.count(world, report);
    // Whoever writes rules does not look at what is held out.
    if (!isFirst && !isHeldOut)
      this.#missed.push(
        `${world.folder}: ${world.faults.map(({ name }) => name).join(', ')} -> ` +
          (report.causes[0]?.title ?? 'nothing'),
      );
    for (const { ablation, score } of this.ablated) score.count(world, this.#judge(ablation.see(snapshot, world)));
  }

  /** The same things read in another order give the same bytes. */
  #shuffle(snapshot: Snapshot, report: Report): void {
    const wanted = JSON.stringify(report);
    const times = this.shuffled === 0 ? SHUFFLES : 1;
    for (let turn = 0; turn < times; turn++) {
      const mixed = <T>(list: readonly T[]): T[] =>
        list
          .map((value, index) => ({ value, place: numberOf(`${turn} ${index}`) }))
          .sort((a, b) => a.place - b.place)
          .map(({ value }) => value);
      const builder = new SnapshotBuilder();
      for (const object of mixed(snapshot.objects)) builder.add(object, 'shuffled');
      for (const event of mixed(snapshot.events)) builder.addEvent(event);
      for (const log of mixed(snapshot.logs)) builder.addLog(log);
      for (const listing of mixed(snapshot.listings)) builder.listing(listing);
      this.shuffled++;
      this.unequal += JSON.stringify(this.#judge(builder.build(snapshot.time))) === wanted ? 0 : 1;
    }
  }
}
