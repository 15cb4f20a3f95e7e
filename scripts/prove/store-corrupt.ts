import { mkdtemp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeDisk } from '../../src/apiserver/store/disk.js';
import {
  DAMAGES,
  verifyRecovery,
  makeImage,
  type Files,
  type Image,
} from '../../src/apiserver/store/testing/damage.js';
import { seededRandom } from '../../src/apiserver/store/testing/random.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/** A damaged store directory is recovered to exactly what was acknowledged, or refused with the place named. */
export const proof: Proof = {
  name: 'store-corrupt',
  sizes: { smoke: 30, full: 2000 },
  async run(context) {
    const root = await mkdtemp(join(tmpdir(), 'argosy-corrupt-'));
    try {
      const images = await Promise.all(
        [1, 2, 3, 4, 5, 6].map((image) => makeRealImage(join(root, `image-${image}`), context.seed * 100 + image)),
      );
      return await runTrials(context, (index) =>
        tryOnce(join(root, 'trial'), images, context.seed * 1_000_003 + index, index),
      );
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
};

async function tryOnce(directory: string, images: readonly Image[], seed: number, index: number): Promise<Trial> {
  const random = seededRandom(seed);
  const image = random.pick(images);
  const files: Files = new Map([...image.files].map(([name, bytes]) => [name, Buffer.from(bytes)]));
  const [name, damage] = Object.entries(DAMAGES)[index % Object.keys(DAMAGES).length] ?? [];
  const what = `${name ?? ''}: ${damage?.(files, random) ?? ''}`;
  await writeFiles(directory, files);
  const verdict = await verifyRecovery(image, nodeDisk, directory);
  const left = await readFiles(directory);
  const wrong = verdict.kind === 'wrong' ? [`silent loss or wrong state (${what}): ${verdict.detail}`] : [];
  if (verdict.kind === 'refused' && !sameFiles(left, files)) wrong.push(`a refusal changed the directory (${what})`);
  await rm(directory, { recursive: true, force: true });
  const silent = verdict.kind === 'wrong' ? 1 : 0;
  return {
    wrong,
    counts: {
      recovered: verdict.kind === 'recovered' ? 1 : 0,
      refused: verdict.kind === 'refused' ? 1 : 0,
      'silent loss': silent,
    },
  };
}

async function makeRealImage(directory: string, seed: number): Promise<Image> {
  return await makeImage(seed, nodeDisk, directory, () => readFiles(directory));
}

async function readFiles(directory: string): Promise<Files> {
  const files: Files = new Map();
  for (const name of await readdir(directory)) {
    if (name.startsWith('lock')) continue; // a socket
    const bytes = await readFile(join(directory, name)).catch(() => undefined); // a snapshot may just have replaced it
    if (bytes !== undefined) files.set(name, bytes);
  }
  return files;
}

async function writeFiles(directory: string, files: Files): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [name, bytes] of files) await writeFile(join(directory, name), bytes);
}

function sameFiles(a: Files, b: Files): boolean {
  return a.size === b.size && [...a].every(([name, bytes]) => b.get(name)?.equals(bytes) ?? false);
}
