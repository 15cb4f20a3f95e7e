import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Fault } from '../../model/faults/index.js';
import {
  isEmptyBlock,
  paxRecords,
  readTarHeader,
  TAR_BLOCK,
  tarText,
  type Tree,
  type TreeFile,
  type TreeFolder,
  type TreeLink,
} from '../../model/formats/index.js';
import { compareText } from '../../model/go/index.js';

const unzip = promisify(gunzip);
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_ENTRIES = 100_000;
const REPOSITORY = 'streamed files';

/** A folder that somebody packed with tar and gzip, as the tree that a repository with these files would give. */
export async function archiveTree(archive: Buffer): Promise<Tree> {
  const root = new FolderBuilder();
  let count = 0;
  for (const entry of entriesOf(await decompress(archive))) {
    if (++count > MAX_ENTRIES) throw new Fault('RENDER_LIMIT', `the archive has more than ${MAX_ENTRIES} entries`);
    root.add(partsOf(entry.name), entry);
  }
  const folder = root.build();
  return { repository: REPOSITORY, commit: folder.id, root: folder };
}

interface ArchiveEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link';
  readonly bytes: Uint8Array;
  readonly target: string;
  readonly executable: boolean;
}

async function decompress(archive: Buffer): Promise<Buffer> {
  try {
    return await unzip(archive, { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new Fault('RENDER_LIMIT', `the files are larger than ${MAX_BYTES} bytes together`, { cause });
    throw invalid('gzip: invalid header or checksum', cause);
  }
}

/** What is neither a file, nor a folder, nor a symbolic link is left out. */
function* entriesOf(archive: Buffer): Generator<ArchiveEntry> {
  let at = 0;
  let further: ReadonlyMap<string, string> = new Map();
  while (at + TAR_BLOCK <= archive.length) {
    const block = archive.subarray(at, at + TAR_BLOCK);
    if (isEmptyBlock(block)) return;
    const header = readTarHeader(block);
    const size = Number(further.get('size') ?? header?.size);
    if (header === undefined || !Number.isSafeInteger(size) || size < 0) throw invalid('tar: invalid tar header');
    const start = at + TAR_BLOCK;
    const bytes = archive.subarray(start, start + size);
    if (bytes.length < size) throw invalid('tar: unexpected EOF');
    at = start + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
    const more = furtherOf(header.type, bytes);
    if (more !== undefined) {
      further = new Map([...further, ...more]);
      continue;
    }
    const kind = kindOf(header.type);
    if (kind !== undefined)
      yield {
        name: further.get('path') ?? header.name,
        kind,
        bytes,
        target: further.get('linkpath') ?? header.target,
        executable: (Number.parseInt(tarText(block.subarray(100, 108)), 8) & 0o111) !== 0,
      };
    further = new Map();
  }
}

/** What belongs to the next header. */
function furtherOf(type: string, bytes: Uint8Array): ReadonlyMap<string, string> | undefined {
  if (type === 'L') return new Map([['path', tarText(bytes)]]);
  if (type === 'K') return new Map([['linkpath', tarText(bytes)]]);
  if (type === 'g') return new Map();
  if (type !== 'x') return undefined;
  const records = paxRecords(bytes);
  if (records === undefined) throw invalid('tar: invalid tar header');
  return records;
}

function kindOf(type: string): ArchiveEntry['kind'] | undefined {
  if (type === '5') return 'folder';
  if (type === '2') return 'link';
  return type === '0' || type === '\0' || type === '7' ? 'file' : undefined;
}

function partsOf(name: string): readonly string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || name.includes('\0') || parts.includes('..'))
    throw invalid(`illegal filepath in archive: ${name.slice(0, 200)}`);
  return parts;
}

/** A folder while its entries come, in any order. */
class FolderBuilder {
  readonly #entries = new Map<string, FolderBuilder | TreeFile | TreeLink>();

  add([name, ...rest]: readonly string[], entry: ArchiveEntry): void {
    if (name === undefined) return;
    const known = this.#entries.get(name);
    if (rest.length > 0 || entry.kind === 'folder') {
      const folder = known ?? new FolderBuilder();
      if (!(folder instanceof FolderBuilder)) throw invalid(`${name} is a file and a folder`);
      this.#entries.set(name, folder);
      folder.add(rest, entry);
    } else if (known instanceof FolderBuilder) throw invalid(`${name} is a file and a folder`);
    else this.#entries.set(name, nodeOf(entry));
  }

  build(): TreeFolder {
    const entries = new Map(
      [...this.#entries]
        .toSorted(([a], [b]) => compareText(a, b))
        .map(([name, node]) => [name, node instanceof FolderBuilder ? node.build() : node] as const),
    );
    const listing = [...entries].map(([name, node]) => `${node.kind} ${node.id} ${name}\0`).join('');
    return { kind: 'folder', id: objectId('tree', Buffer.from(listing)), entries };
  }
}

function nodeOf({ kind, bytes, target, executable }: ArchiveEntry): TreeFile | TreeLink {
  if (kind === 'link') return { kind: 'link', id: objectId('blob', Buffer.from(target)), target };
  return { kind: 'file', id: objectId('blob', bytes), executable, size: bytes.length, bytes };
}

/** As git names content. */
function objectId(kind: 'blob' | 'tree', bytes: Uint8Array): string {
  return createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest('hex');
}

function invalid(message: string, cause?: unknown): Fault {
  return new Fault('VALUE_INVALID', `error decompressing tgz file: ${message}`, { cause });
}
