import { Fault } from '../../../model/faults/index.js';
import { TAR_BLOCK, isEmptyBlock, paxRecords, readTarHeader, tarText } from '../../../model/formats/index.js';

export interface TarEntry {
  readonly name: string;
  /** `other` is a link, a device or the like. */
  readonly kind: 'file' | 'folder' | 'other';
  readonly size: number;
  /** Empty if the archive ends before the content does. */
  readonly bytes: Uint8Array;
}

const FILES: ReadonlySet<string> = new Set(['0', '\0', '7', '']);

/** The entries of a tar archive, with the errors of Go's archive/tar. Content is shared with `archive`. */
export function* tarEntries(archive: Uint8Array): Generator<TarEntry> {
  let at = 0;
  let longName: string | undefined;
  let pax: ReadonlyMap<string, string> = new Map();
  while (at + TAR_BLOCK <= archive.length) {
    const block = archive.subarray(at, at + TAR_BLOCK);
    if (isEmptyBlock(block)) return;
    const header = readTarHeader(block);
    if (header === undefined) throw invalid('invalid tar header');
    const { type } = header;
    const size = Number(pax.get('size') ?? header.size);
    if (!Number.isSafeInteger(size) || size < 0) throw invalid('invalid tar header');
    const start = at + TAR_BLOCK;
    const bytes = archive.subarray(start, start + size);
    at = start + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
    if (type === 'L') longName = tarText(bytes);
    else if (type === 'x') pax = records(bytes);
    else if (type !== 'K' && type !== 'g') {
      const name = pax.get('path') ?? longName ?? header.name;
      const kind = kindOf(type, name);
      if (kind === 'file' && bytes.length < size) throw invalid('unexpected EOF');
      yield { name, kind, size, bytes };
      longName = undefined;
      pax = new Map();
    }
  }
}

function kindOf(type: string, name: string): TarEntry['kind'] {
  if (type === '5' || name.endsWith('/')) return 'folder';
  return FILES.has(type) ? 'file' : 'other';
}

function records(bytes: Uint8Array): ReadonlyMap<string, string> {
  const found = paxRecords(bytes);
  if (found === undefined) throw invalid('invalid tar header');
  return found;
}

function invalid(message: string): Fault {
  return new Fault('CHART_INVALID', `archive/tar: ${message}`);
}
