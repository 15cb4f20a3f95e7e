import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { segmentName } from './file-header.js';
import { StaleWrite } from './store.js';
import { openSimulated, runUntil, verifyDisk } from './testing/cut-off.js';
import { seededRandom, type Random } from './testing/random.js';
import { diskError, SIMULATED_DIRECTORY, SimulatedDisk, type DiskOperation } from './testing/simulated-disk.js';
import { Workload } from './testing/workload.js';

describe('after a restart the store has exactly what was acknowledged, and perhaps writes that were in flight', () => {
  const ends: [string, (random: Random) => (disk: SimulatedDisk) => SimulatedDisk][] = [
    ['when it was closed', () => (disk) => disk],
    ['when the process was killed at any step', () => (disk) => disk.afterKill()],
    ['when the power failed at any step', (random) => (disk) => disk.afterPowerCut(random)],
  ];
  it.each(ends)('%s', async (name, ending) => {
    let acknowledged = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const random = seededRandom(seed);
      const workload = new Workload(random);
      let disk = new SimulatedDisk();
      for (let life = 0; life < 10; life++) {
        const steps = name.includes('closed') ? Infinity : random.integer(400);
        disk = await runUntil(disk, steps, workload, ending(random));
        acknowledged += workload.ledger.acknowledged;
        const wrong = await verifyDisk(disk, workload);
        expect({ seed, life, wrong }).toEqual({ seed, life, wrong: [] });
      }
    }
    expect(acknowledged).toBeGreaterThan(1000);
  });
});

const whileMade: DiskOperation[] = ['open', 'write', 'written', 'sync', 'synced', 'syncDirectory'];

/** The disk after the power failed at a step of making a segment. */
async function cutWhileMade(
  disk: SimulatedDisk,
  segment: number,
  cutAt: DiskOperation,
  workload: Workload,
): Promise<SimulatedDisk> {
  const name = `${SIMULATED_DIRECTORY}/${segmentName(segment)}`;
  let isMade = false;
  let cut: SimulatedDisk | undefined;
  disk.onStep = (step, path) => {
    isMade ||= path === name;
    if (isMade && step === cutAt) cut = disk.afterPowerCut(workload.random);
  };
  await workload.run(await openSimulated(disk), 4, 60);
  if (cut === undefined) throw new Error(`${name} was not made`);
  return cut;
}

it.each(whileMade)('a segment that lost its power at "%s" is made again under its name', async (cutAt) => {
  for (let seed = 1; seed <= 4; seed++) {
    const workload = new Workload(seededRandom(seed));
    const first = await cutWhileMade(new SimulatedDisk(), 2, cutAt, workload);
    expect({ seed, wrong: await verifyDisk(first, workload) }).toEqual({ seed, wrong: [] });
    const second = await cutWhileMade(first, 3, 'open', workload);
    expect({ seed, wrong: await verifyDisk(second, workload) }).toEqual({ seed, wrong: [] });
  }
});

describe('when the disk fails', () => {
  const steps: DiskOperation[] = [
    'open',
    'write',
    'written',
    'sync',
    'synced',
    'truncate',
    'rename',
    'remove',
    'syncDirectory',
    'mark',
  ];
  it.each(steps)('at "%s": rejects what was not kept, serves reads, and goes on by itself', async (failing) => {
    for (let seed = 1; seed <= 4; seed++) {
      const random = seededRandom(seed);
      const workload = new Workload(random);
      const disk = new SimulatedDisk();
      const store = await openSimulated(disk);
      await workload.run(store, 4, 10);
      for (let round = 0; round < 6; round++) {
        let left = random.integer(4);
        disk.onStep = (step) => {
          if (step === failing && left-- <= 0) throw diskError('EIO', 'i/o error');
        };
        await workload.run(store, 4, 15);
        disk.onStep = () => undefined;
        expect(workload.verify(store)).toEqual([]);
        const rejected = workload.rejected;
        await workload.run(store, 4, 15);
        expect(workload.rejected).toBe(rejected);
      }
      const after = random.chance(0.5) ? disk.afterKill() : disk.afterPowerCut(random);
      expect({ seed, wrong: await verifyDisk(after, workload) }).toEqual({ seed, wrong: [] });
    }
  });

  it('rejects a write based on a failed one, though its revision was reused', async () => {
    const disk = new SimulatedDisk();
    const store = await openSimulated(disk);
    const key = '/registry/pods/x/y';
    const build = (): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: {} });
    disk.onStep = () => {
      throw diskError('EIO', 'i/o error');
    };
    const failing = store.write(key, undefined, build);
    const seen = store.head(key);
    await expect(failing).rejects.toMatchObject({ code: 'STORE_WRITE' });
    disk.onStep = () => undefined;
    const kept = await store.write(key, undefined, build);
    expect(kept.revision).toBe(seen?.revision);
    await expect(store.write(key, seen, build)).rejects.toThrow(StaleWrite);
    await store.close();
  });

  it('because it is full: reports it, loses nothing, and resumes when there is space', async () => {
    const workload = new Workload(seededRandom(7), 40, 2000);
    const disk = new SimulatedDisk();
    const store = await openSimulated(disk);
    await workload.run(store, 2, 20);
    disk.capacity = disk.used;
    for (let round = 0; workload.rejected === 0 && round < 2000; round++) await workload.run(store, 1, 5);
    await expect(
      store.write('/registry/pods/x/y', undefined, () => ({ apiVersion: 'v1', kind: 'Pod', metadata: {} })),
    ).rejects.toMatchObject({
      code: 'STORE_WRITE',
      retry: true,
      message: expect.stringContaining('ENOSPC') as string,
    });
    expect(store.head('/registry/pods/x/y')).toBeUndefined();
    expect([store.failure?.code, (await store.checkWritable())?.code]).toEqual(['STORE_WRITE', 'STORE_WRITE']);
    expect(workload.verify(store)).toEqual([]);
    disk.capacity = Infinity;
    expect([await store.checkWritable(), store.failure]).toEqual([undefined, undefined]);
    const rejected = workload.rejected;
    await workload.run(store, 4, 20);
    expect(workload.rejected).toBe(rejected);
    expect(await verifyDisk(disk.afterKill(), workload)).toEqual([]);
  });
});
