import { Fault } from '../../../model/faults/index.js';
import { quoteGo } from '../../../model/go/index.js';
import type { TreeReader } from '../../common/index.js';
import { MAX_CHART_BYTES, MAX_FILE_BYTES, MAX_FILES, withoutMark, type ChartFile } from './chart-file.js';
import type { Chart } from './chart.js';
import { Helmignore } from './helmignore.js';
import { loadFiles } from './load-files.js';

/** Folders in folders; a link to a folder above itself would go on for ever. */
const MAX_DEPTH = 60;

/** A chart from a folder of a tree. Everything it lacks is asked for at once. */
export function loadFolder(reader: TreeReader, path: string): Chart {
  const chartFile = joined(path, 'Chart.yaml');
  if (reader.kind(chartFile) !== 'file') {
    throw new Fault('CHART_INVALID', `unable to detect chart at ${chartFile}: no such file or directory`, {
      where: chartFile,
    });
  }
  return loadFiles(folderFiles(reader, path), path);
}

function folderFiles(reader: TreeReader, root: string): ChartFile[] {
  const ignoreFile = joined(root, '.helmignore');
  const ignore = new Helmignore(reader.kind(ignoreFile) === 'file' ? reader.text(ignoreFile) : '', ignoreFile);
  const names: string[] = [];
  walk(reader, root, '', ignore, names, 0);
  reader.load(names.map((name) => joined(root, name)));
  let size = 0;
  return names.map((name) => {
    const path = joined(root, name);
    const bytes = withoutMark(reader.bytes(path));
    if (bytes.length > MAX_FILE_BYTES)
      throw limit(
        `chart file ${quoteGo(name.slice(name.lastIndexOf('/') + 1))} is larger than the maximum file size ` +
          String(MAX_FILE_BYTES),
        path,
      );
    size += bytes.length;
    if (size > MAX_CHART_BYTES) throw limit(`the chart is larger than the maximum size ${MAX_CHART_BYTES}`, path);
    return { name, bytes, id: reader.id(path), path };
  });
}

function walk(
  reader: TreeReader,
  root: string,
  folder: string,
  ignore: Helmignore,
  names: string[],
  depth: number,
): void {
  if (depth > MAX_DEPTH) throw limit(`folders are nested more than ${MAX_DEPTH} deep`, joined(root, folder));
  for (const entry of reader.list(joined(root, folder))) {
    const name = joined(folder, entry.name);
    if (entry.kind === undefined) {
      throw new Fault('CHART_INVALID', `error evaluating symlink ${joined(root, name)}: no such file or directory`, {
        where: joined(root, name),
      });
    }
    if (ignore.ignores(name, entry.kind === 'folder')) continue;
    if (entry.kind === 'folder') walk(reader, root, name, ignore, names, depth + 1);
    else if (names.push(name) > MAX_FILES) throw limit(`the chart has more than ${MAX_FILES} files`, root);
  }
}

function joined(folder: string, name: string): string {
  if (folder === '' || folder === '.') return name;
  return name === '' ? folder : `${folder}/${name}`;
}

function limit(message: string, where: string): Fault {
  return new Fault('RENDER_LIMIT', message, { where });
}
