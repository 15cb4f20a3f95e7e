import { describe, expect, it } from 'vitest';
import { isCompleted, type OperationPhase } from '../../model/argo/index.js';
import { keyOf, keyText } from '../../model/kubernetes/index.js';
import { listWaves } from './list-waves.js';
import { SyncDriver } from './testing/sync-driver.js';
import { passTime, randomFrom, randomSync, type RandomSync } from './testing/random-sync.js';
import { bare, shortName } from './testing/memory-cluster.js';

/** A few by default; `ARGOSY_SEEDS=2000` looks further. */
const SEEDS = Array.from({ length: Number(process.env.ARGOSY_SEEDS ?? 40) }, (_, index) => index + 1);

interface Ending {
  readonly phase: OperationPhase;
  readonly message: string;
  readonly rows: string[];
  readonly changes: string[];
  readonly objects: string[];
}

/** Plays to the end; the process dies after `life` steps and is started again. */
function playToEnd(sync: RandomSync, player: SyncDriver, life = Infinity): Ending {
  player.stepsUntilCrash = life;
  for (let turns = 0; turns < 100; turns += 1) {
    const move = player.run();
    if (!move) {
      player.restart();
      continue;
    }
    if (!isCompleted(move.phase)) {
      expect(move.waitsFor.length, move.message).toBeGreaterThan(0);
      passTime(sync);
      continue;
    }
    // The row of a prune that was not written down before the process died is lost, with its object.
    const rows = move.results
      .filter((row) => row.status !== 'Pruned')
      .map((row) => `${row.syncPhase} ${shortName(row)} ${row.status ?? ''} ${row.hookPhase ?? ''}`);
    const objects = sync.cluster
      .list()
      .map((object) =>
        JSON.stringify([keyText(keyOf(object)), bare(object), object.metadata.deletionTimestamp !== undefined]),
      )
      .sort();
    return { phase: move.phase, message: move.message, rows: rows.sort(), changes: sync.cluster.changes, objects };
  }
  throw new Error('the operation does not end');
}

function start(seed: number): { sync: RandomSync; player: SyncDriver } {
  const sync = randomSync(seed);
  return { sync, player: new SyncDriver(sync.cluster, sync.scenario) };
}

describe('every plan', { timeout: 600_000 }, () => {
  it('ends, and both ways to end are seen', () => {
    const phases = SEEDS.map((seed) => {
      const { sync, player } = start(seed);
      return playToEnd(sync, player).phase;
    });
    expect([...new Set(phases)].sort()).toEqual(['Failed', 'Succeeded']);
  });

  it('runs its steps in the order that was planned at its start, prunes before applies of the same wave', () => {
    for (const seed of SEEDS) {
      const { sync, player } = start(seed);
      const places = new Map<string, number>();
      listWaves(player.input()).forEach((wave, index) =>
        wave.tasks.forEach((task) => places.set(`${wave.phase} ${keyText(task.key)}`, index)),
      );
      playToEnd(sync, player);
      const done = player.steps.filter(
        (step) => (step.kind === 'apply' || step.kind === 'prune') && step.task.phase !== 'SyncFail',
      );
      const order = done.map(
        (step) =>
          (places.get(`${step.task.phase} ${keyText(step.task.key)}`) ?? NaN) * 2 + (step.kind === 'apply' ? 1 : 0),
      );
      expect(order, `seed ${seed}`).toEqual([...order].sort((a, b) => a - b));
    }
  });

  it('creates no hook twice, and asks before it applies', () => {
    for (const seed of SEEDS) {
      const { sync, player } = start(seed);
      playToEnd(sync, player);
      const created = sync.cluster.changes.filter((change) => change.startsWith('create') && change.includes(' for '));
      expect(created, `seed ${seed}`).toEqual([...new Set(created)]);
      const kinds = player.steps.map((step) => step.kind);
      expect(kinds.lastIndexOf('check'), `seed ${seed}`).toBeLessThan(
        kinds.includes('apply') ? kinds.indexOf('apply') : Infinity,
      );
    }
  });

  it('does the same after a restart at any step', () => {
    for (const seed of SEEDS) {
      const whole = start(seed);
      const ending = playToEnd(whole.sync, whole.player);
      const steps = whole.player.steps.length;
      const isThorough = SEEDS.length > 100;
      for (let life = isThorough ? 0 : seed % 5; life < steps; life += isThorough ? 1 : 5) {
        const again = start(seed);
        expect(playToEnd(again.sync, again.player, life), `seed ${seed}, killed after ${life} steps`).toEqual(ending);
      }
    }
  });

  it('is the same whatever the order of its input', () => {
    for (const seed of SEEDS) {
      const given = start(seed);
      playToEnd(given.sync, given.player);
      const other = start(seed);
      const random = randomFrom(seed);
      const targets = other.sync.scenario.targets
        .map((target) => ({ target, at: random() }))
        .sort((a, b) => a.at - b.at)
        .map(({ target }) => target);
      const player = new SyncDriver(other.sync.cluster, { ...other.sync.scenario, targets });
      playToEnd(other.sync, player);
      expect(player.lines, `seed ${seed}`).toEqual(given.player.lines);
    }
  });
});
