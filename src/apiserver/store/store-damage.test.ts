import { basename } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { crc32c } from './crc32c.js';
import { DAMAGES, verifyRecovery, makeImage, type Files, type Image, type RecoveryOutcome } from './testing/damage.js';
import { seededRandom } from './testing/random.js';
import { SIMULATED_DIRECTORY as directory, SimulatedDisk } from './testing/simulated-disk.js';
import { openStore } from './open-store.js';
import { segmentName, sortFiles } from './file-header.js';

async function filesOf(disk: SimulatedDisk): Promise<Files> {
  const files: Files = new Map();
  for (const path of disk.paths()) files.set(basename(path), (await disk.read(path)) ?? Buffer.alloc(0));
  return files;
}

function image(seed: number): Promise<Image> {
  const disk = new SimulatedDisk();
  return makeImage(seed, disk, directory, () => filesOf(disk));
}

/** Opens a copy of the image in which `change` damaged something. */
async function tryWith(
  base: Image,
  change: (files: Files) => void,
): Promise<{ outcome: RecoveryOutcome; before: Files; disk: SimulatedDisk }> {
  const files: Files = new Map([...base.files].map(([name, bytes]) => [name, Buffer.from(bytes)]));
  change(files);
  const disk = new SimulatedDisk();
  for (const [name, bytes] of files) disk.overwrite(`${directory}/${name}`, bytes);
  return { outcome: await verifyRecovery(base, disk, directory), before: files, disk };
}

function digest(files: Files): string {
  return [...files]
    .sort()
    .map(([name, bytes]) => `${name} ${bytes.length} ${crc32c(bytes)}`)
    .join('\n');
}

let images: Image[] = [];
beforeAll(async () => {
  images = await Promise.all([1, 2, 3, 4, 5, 6].map(image));
});

it('has images with and without writes in flight, each with a snapshot', () => {
  expect(images.some(({ acked, written }) => acked < written)).toBe(true);
  expect(images.some(({ acked, written }) => acked === written)).toBe(true);
  for (const { files } of images) expect(sortFiles([...files.keys()]).snapshots).not.toEqual([]);
});

describe.each(Object.keys(DAMAGES))('%s', (name) => {
  it('is recovered exactly or rejected, and a rejection changes nothing', async () => {
    const random = seededRandom(99);
    for (let trial = 0; trial < 30; trial++) {
      let what = '';
      const {
        outcome: outcome,
        before,
        disk,
      } = await tryWith(random.pick(images), (files) => {
        what = DAMAGES[name]?.(files, random) ?? '';
      });
      expect({ what, ...outcome }).not.toMatchObject({ kind: 'wrong' });
      if (outcome.kind === 'refused') expect(digest(await filesOf(disk))).toBe(digest(before));
    }
  });
});

it('recovers from leftover temporary files and removes them', async () => {
  const { outcome: outcome, disk } = await tryWith(images[0]!, (files) =>
    DAMAGES['leave temporary files']!(files, seededRandom(1)),
  );
  expect(outcome.kind).toBe('recovered');
  expect(disk.paths().filter((path) => path.endsWith('.tmp'))).toEqual([]);
});

it('names the record, byte and file that are damaged', async () => {
  const base = images[0]!;
  const name = segmentName(sortFiles([...base.files.keys()]).segments.at(-1)!);
  const { outcome: outcome } = await tryWith(base, (files) => {
    files.get(name)![64 + 40]! ^= 4;
  });
  expect(outcome.kind).toBe('refused');
  expect(outcome.detail).toMatch(
    new RegExp(
      `^record 1 of ${name} \\(byte 64, after revision \\d+\\) is damaged: it does not match its checksum ` +
        `\\(/simulated/${name} at byte 64, record 1\\)$`,
    ),
  );
});

it('rejects a changed byte even in an unacknowledged write: only missing bytes mean an unfinished one', async () => {
  const base = images.find(({ acked, written }) => acked < written)!;
  const name = segmentName(sortFiles([...base.files.keys()]).segments.at(-1)!);
  const used = base.files.get(name)!.findLastIndex((byte) => byte !== 0) + 1;
  for (let back = 1; back <= 64; back++) {
    const { outcome: outcome } = await tryWith(base, (files) => {
      files.get(name)![used - back]! ^= 1;
    });
    expect({ back, kind: outcome.kind }).toEqual({ back, kind: 'refused' });
  }
});

it('rejects a gap of zeros before a record that says the gap was durable, even with an old mark', async () => {
  const base = images[0]!;
  const name = segmentName(sortFiles([...base.files.keys()]).segments.at(-1)!);
  const first = new SimulatedDisk();
  for (const [file, bytes] of base.files) first.overwrite(`${directory}/${file}`, bytes);
  const mark = base.files.get('acked')!;
  const store = await openStore({ directory, disk: first });
  for (let index = 0; index < 20; index++)
    await store.write(`/registry/pods/x/${index}`, undefined, () => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {},
      text: 'x'.repeat(600),
    }));
  const files = await filesOf(first);
  const start = base.files.get(name)!.findLastIndex((byte) => byte !== 0) + 1;
  const sector = Math.ceil(start / 512) * 512;
  files.get(name)!.fill(0, sector, sector + 512);
  files.set('acked', mark);
  const second = new SimulatedDisk();
  for (const [file, bytes] of files) second.overwrite(`${directory}/${file}`, bytes);
  await expect(openStore({ directory, disk: second })).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
});

describe('a log that ends at any byte of its last records', () => {
  it.each([[true], [false]])('acknowledged: %s', async (isAcked) => {
    const base = images.find(({ acked, written }) => (acked === written) === isAcked)!;
    const name = segmentName(sortFiles([...base.files.keys()]).segments.at(-1)!);
    const bytes = base.files.get(name)!;
    const used = bytes.findLastIndex((byte) => byte !== 0) + 1;
    const kinds = new Map<string, number>();
    for (let length = used; length > used - 400; length--) {
      const { outcome: outcome } = await tryWith(base, (files) => files.set(name, bytes.subarray(0, length)));
      expect({ length, ...outcome }).not.toMatchObject({ kind: 'wrong' });
      kinds.set(outcome.kind, (kinds.get(outcome.kind) ?? 0) + 1);
      // Only the whole file is complete when all was acknowledged; padding counts, so one byte less is a loss.
      if (isAcked) expect(outcome.kind).toBe(length === used ? 'recovered' : 'refused');
    }
    if (!isAcked) expect(kinds.get('recovered')).toBeGreaterThan(50);
  });
});
