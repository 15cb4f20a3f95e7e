import { expect, it } from 'vitest';
import type { DiskFile } from '../disk.js';
import { seededRandom } from './random.js';
import { SIMULATED_DIRECTORY as directory, SimulatedDisk } from './simulated-disk.js';

const PATH = `${directory}/file`;
const OLD = Buffer.alloc(1024, 'o');
const NEW = Buffer.alloc(512, 'n');

type Steps = (disk: SimulatedDisk) => Promise<DiskFile>;

async function textAfterCut(disk: SimulatedDisk, seed: number): Promise<string | undefined> {
  const bytes = await disk.afterPowerCut(seededRandom(seed)).read(PATH);
  return bytes?.toString();
}

/** Empties the file as a program does that creates it anew, and writes to it durably. */
const replace: Steps = async (disk) => {
  const file = await disk.open(PATH, { durable: true, empty: true });
  await file.write(NEW, 0);
  return file;
};

const cases: [name: string, steps: Steps, left: Buffer][] = [
  ['an emptied file has the durable write that followed', replace, NEW],
  [
    'an emptied file has the durable write that followed, after a sync too',
    async (disk) => {
      const file = await replace(disk);
      await file.sync();
      return file;
    },
    NEW,
  ],
  [
    'a durable write is not covered by an older write that was not synced',
    async (disk) => {
      await (await disk.open(PATH, { durable: false, empty: false })).write(Buffer.alloc(512, 'x'), 0);
      const file = await disk.open(PATH, { durable: true, empty: false });
      await file.write(NEW, 0);
      return file;
    },
    Buffer.concat([NEW, OLD.subarray(512)]),
  ],
  [
    'a synced truncation ends the file, whatever was written behind its end before',
    async (disk) => {
      const file = await disk.open(PATH, { durable: false, empty: false });
      await file.write(NEW, 1024);
      await file.truncate(512);
      await file.sync();
      return file;
    },
    OLD.subarray(512),
  ],
];

it.each(cases)('after a power cut %s', async (_, steps, left) => {
  for (let seed = 1; seed <= 20; seed++) {
    const disk = new SimulatedDisk();
    disk.overwrite(PATH, OLD);
    await steps(disk);
    expect(await textAfterCut(disk, seed)).toBe(left.toString());
  }
});

it('after a power cut an emptied file is old, empty, new or a mixture while its write is under way', async () => {
  const found = new Set<string | undefined>();
  for (let seed = 1; seed <= 40; seed++) {
    const disk = new SimulatedDisk();
    disk.overwrite(PATH, OLD);
    let text: Promise<string | undefined> | undefined;
    disk.onStep = (step) => {
      if (step === 'written') text = textAfterCut(disk, seed);
    };
    await expect(replace(disk)).rejects.toThrow('the power is off');
    found.add(await text);
  }
  const texts = [OLD, Buffer.alloc(0), NEW, Buffer.concat([NEW, OLD.subarray(512)])].map(String);
  expect([...found].sort()).toEqual(texts.sort());
});
