import { Fault } from '../../../model/faults/index.js';
import { openStore } from '../open-store.js';
import type { Disk } from '../disk.js';
import { segmentName, snapshotName, sortFiles } from '../file-header.js';
import type { Store } from '../store.js';
import { changeOf, type Change } from './write-history.js';
import { seededRandom, type Random } from './random.js';
import { Workload } from './workload.js';

/** A store directory as bytes, with what may come out of it: every state from `acked` to `written`. */
export interface Image {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly acked: number;
  readonly written: number;
  /** Key and body of every entry, by revision. */
  readonly states: ReadonlyMap<number, string>;
}

export type Files = Map<string, Buffer>;

/** Ways to damage a directory. Each returns what it did, for the log. */
export const DAMAGES: Readonly<Record<string, (files: Files, random: Random) => string>> = {
  'flip one bit': (files, random) => {
    const [name, bytes] = anyFile(files, random);
    const bit = random.integer(bytes.length * 8);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return `bit ${bit & 7} of byte ${bit >> 3} of ${name}`;
  },
  'cut a file': (files, random) => {
    const [name, bytes] = anyFile(files, random);
    const length = random.integer(bytes.length);
    files.set(name, bytes.subarray(0, length));
    return `${name} cut from ${bytes.length} to ${length} bytes`;
  },
  'cut the last 4 KiB of the log': (files, random) => {
    const [name, bytes] = lastSegment(files);
    const used = bytes.length - trailingZeros(bytes);
    const length = Math.max(0, used - random.integer(4096));
    files.set(name, bytes.subarray(0, length));
    return `${name} cut from ${used} to ${length} bytes`;
  },
  'leave temporary files': (files, random) => {
    files.set(`${snapshotName(random.integer(9))}.tmp`, noise(random.integer(5000), random));
    files.set('format.tmp', noise(random.integer(3), random));
    return 'a half-written snapshot and format file';
  },
  'lose a snapshot': (files) => {
    const names = sortFiles([...files.keys()]).snapshots.map(snapshotName);
    for (const name of names) files.delete(name);
    return `${names.join(', ')} removed`;
  },
  'lose any file': (files, random) => {
    const [name] = anyFile(files, random);
    files.delete(name);
    return `${name} removed`;
  },
  'zero a sector': (files, random) => {
    const [name, bytes] = anyFile(files, random);
    const sector = random.integer(Math.ceil(bytes.length / 512)) * 512;
    bytes.fill(0, sector, Math.min(bytes.length, sector + 512));
    return `sector at byte ${sector} of ${name}`;
  },
  'swap two parts': (files, random) => {
    const [name, bytes] = anyFile(files, random);
    const size = 8 * (1 + random.integer(30));
    const [first, second] = [random.integer(bytes.length), random.integer(bytes.length)];
    const part = Buffer.from(bytes.subarray(first, first + size));
    bytes.copy(bytes, first, second, second + size);
    part.copy(bytes, second);
    return `${size} bytes at ${first} and ${second} of ${name}`;
  },
  'swap two files': (files, random) => {
    const [first, bytes] = anyFile(files, random);
    const [second, other] = anyFile(files, random);
    files.set(first, other).set(second, bytes);
    return `${first} and ${second}`;
  },
  'append noise to the log': (files, random) => {
    const [name, bytes] = lastSegment(files);
    files.set(
      name,
      Buffer.concat([bytes.subarray(0, bytes.length - trailingZeros(bytes)), noise(1 + random.integer(300), random)]),
    );
    return name;
  },
};

function anyFile(files: Files, random: Random): [string, Buffer] {
  return random.pick([...files].filter(([, bytes]) => bytes.length > 0));
}

function lastSegment(files: Files): [string, Buffer] {
  const name = segmentName(sortFiles([...files.keys()]).segments.at(-1) ?? 0);
  return [name, files.get(name) ?? Buffer.alloc(0)];
}

function trailingZeros(bytes: Buffer): number {
  let at = bytes.length;
  while (at > 0 && bytes[at - 1] === 0) at--;
  return bytes.length - at;
}

function noise(size: number, random: Random): Buffer {
  return Buffer.from(Array.from({ length: size }, () => random.integer(256)));
}

/**
 * Fills a store until it has a snapshot and several records of log. The mark of acknowledged writes is taken some
 * writes before the end, as if the last ones had been in flight; or at the end, where all are acknowledged.
 */
export async function makeImage(
  seed: number,
  disk: Disk,
  directory: string,
  readFiles: () => Promise<Files>,
): Promise<Image> {
  const random = seededRandom(seed);
  const workload = new Workload(random, 8, 120);
  const store = await openStore({ directory, disk, snapshotBytes: 8 << 10 });
  const states = new Map([[store.revision, stateOf(store)]]);
  const state = new Map<string, string>();
  store.watch('/', 1, (event) => states.set(event.revision, applyTo(state, changeOf(event))));
  await workload.run(store, 3, 60 + random.integer(60));
  const acked = store.revision;
  const mark = (await readFiles()).get('acked') ?? Buffer.alloc(0);
  if (random.chance(0.5)) await workload.run(store, 3, 1 + random.integer(4));
  const isClosed = random.chance(0.3);
  if (isClosed) await store.close();
  const files = await readFiles();
  files.set('acked', mark);
  const written = store.revision;
  if (!isClosed) await store.close();
  return { files, acked, written, states };
}

function applyTo(state: Map<string, string>, change: Change): string {
  const cut = change.indexOf('=');
  if (cut < 0) state.delete(change);
  else state.set(change.slice(0, cut), change.slice(cut + 1));
  return [...state]
    .map(([key, body]) => `${key}=${body}`)
    .sort()
    .join('\n');
}

function stateOf(store: Store): string {
  return store
    .range('/')
    .map(({ key, body }) => `${key}=${body}`)
    .sort()
    .join('\n');
}

export type RecoveryOutcome = { readonly kind: 'recovered' | 'refused' | 'wrong'; readonly detail: string };

/** Opens a damaged directory: an allowed state or an error that names a place is right, anything else is wrong. */
export async function verifyRecovery(image: Image, disk: Disk, directory: string): Promise<RecoveryOutcome> {
  let store: Store;
  try {
    store = await openStore({ directory, disk });
  } catch (error) {
    if (
      error instanceof Fault &&
      (error.code === 'STORE_CORRUPT' || error.code === 'STORE_FORMAT') &&
      error.where !== ''
    )
      return { kind: 'refused', detail: `${error.message} (${error.where})` };
    return { kind: 'wrong', detail: `unexpected error: ${String(error)}` };
  }
  const { revision } = store;
  const isSame = image.states.get(revision) === stateOf(store);
  await store.close();
  if (revision < image.acked || revision > image.written)
    return { kind: 'wrong', detail: `revision ${revision} is not within ${image.acked} to ${image.written}` };
  return isSame
    ? { kind: 'recovered', detail: `revision ${revision}` }
    : { kind: 'wrong', detail: `not the state of revision ${revision}` };
}
