import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Fault } from '../../../model/faults/index.js';
import { quoteGo } from '../../../model/go/index.js';
import { MAX_CHART_BYTES, MAX_FILE_BYTES, MAX_FILES, withoutMark, type ChartFile } from './chart-file.js';
import { tarEntries, type TarEntry } from './tar.js';

/** Text of charts shrinks to a tenth or so; an archive that grows more than this is made to harm. */
const MAX_RATIO = 300;
const MIN_LIMIT_BYTES = 4 * 1024 * 1024;

/**
 * The files of a packed chart (`.tgz`) without the folder around them. `path` names the archive in origins and faults.
 */
export function unpackArchive(archive: Uint8Array, path: string): ChartFile[] {
  const id = createHash('sha256').update(archive).digest('hex');
  const files: ChartFile[] = [];
  let size = 0;
  let entries = 0;
  for (const entry of tarEntries(gunzip(archive, path))) {
    if (++entries > MAX_FILES) throw limit(`the archive has more than ${MAX_FILES} entries`, path);
    if (entry.kind === 'folder') continue;
    const name = nameInside(entry, path);
    size += entry.size;
    if (size > MAX_CHART_BYTES)
      throw limit(`decompressed chart is larger than the maximum size ${MAX_CHART_BYTES}`, path);
    if (entry.size > MAX_FILE_BYTES) {
      throw limit(
        `decompressed chart file ${quoteGo(entry.name)} is larger than the maximum file size ${MAX_FILE_BYTES}`,
        path,
      );
    }
    files.push({ name, bytes: withoutMark(entry.bytes), id: `${id} ${name}`, path: `${path}!${name}` });
  }
  if (files.length === 0) throw invalid('no files in chart archive', path);
  return files;
}

function gunzip(archive: Uint8Array, path: string): Uint8Array {
  const most = Math.min(MAX_CHART_BYTES + 2 ** 20, Math.max(MIN_LIMIT_BYTES, archive.length * MAX_RATIO));
  try {
    return gunzipSync(archive, { maxOutputLength: most });
  } catch (cause) {
    if (cause instanceof RangeError) throw limit(`decompressed chart is larger than the maximum size ${most}`, path);
    throw new Fault(
      'CHART_INVALID',
      `file '${path}' does not appear to be a valid chart file (details: gzip: invalid header)`,
      { where: path, cause },
    );
  }
}

function nameInside(entry: TarEntry, path: string): string {
  if (entry.kind === 'other')
    throw invalid(`chart illegally contains a link or a device: ${quoteGo(entry.name)}`, path);
  const delimiter = entry.name.includes('\\') ? '\\' : '/';
  const [folder, ...rest] = entry.name.split(delimiter);
  const inside = rest.join('/');
  if (inside.startsWith('/')) throw invalid('chart illegally contains absolute paths', path);
  const name = posix.normalize(inside);
  if (name === '.')
    throw invalid(`chart illegally contains content outside the base directory: ${quoteGo(entry.name)}`, path);
  if (name.startsWith('..')) throw invalid('chart illegally references parent directory', path);
  if (/^[a-zA-Z]:\//.test(name) || name.includes('\0')) throw invalid('chart contains illegally named files', path);
  if (folder === 'Chart.yaml') throw invalid('chart yaml not in base directory', path);
  return name;
}

function invalid(message: string, where: string): Fault {
  return new Fault('CHART_INVALID', message, { where });
}

function limit(message: string, where: string): Fault {
  return new Fault('RENDER_LIMIT', message, { where });
}
