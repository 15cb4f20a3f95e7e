import { compareText } from '../../../model/go/index.js';
import { Fault } from '../../../model/faults/index.js';
import { isObject, own } from '../../../model/json/index.js';
import { readOneYaml } from '../../../model/yaml/index.js';
import { BoundedCache } from '../../common/index.js';
import { yamlErrorText } from '../functions/serialization/yaml-error-text.js';
import { readValues } from '../values/read-values.js';
import type { GoObject } from '../template/value/go-value.js';
import { MAX_CHART_BYTES, type ChartFile } from './chart-file.js';
import type { Chart } from './chart.js';
import type { Metadata } from './metadata.js';
import { readMetadata } from './read-metadata.js';
import { unpackArchive } from './unpack-archive.js';

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
/** By content: charts of a fleet are mostly the same few. */
const metadataCache = new BoundedCache<Metadata>(4_000);
const valuesCache = new BoundedCache<GoObject>(32 * 1024 * 1024);
const archiveCache = new BoundedCache<readonly ChartFile[]>(64 * 1024 * 1024);

/** Charts inside charts inside charts: more is a mistake or an attack. */
const MAX_DEPTH = 20;

/** What all charts of one load may cost together. */
interface Load {
  size: number;
}

/** A chart from its files. `path` is the folder or archive that they came from. */
export function loadFiles(files: readonly ChartFile[], path: string): Chart {
  return load(files, path, 0, { size: 0 });
}

/** A chart from the bytes of a `.tgz`. */
export function loadArchive(archive: Uint8Array, id: string, path: string): Chart {
  return loadFiles(unpacked(archive, id, path), path);
}

function unpacked(archive: Uint8Array, id: string, path: string): readonly ChartFile[] {
  return archiveCache.get(
    `${id} ${path}`,
    () => unpackArchive(archive, path),
    (files) => files.reduce((sum, { bytes }) => sum + bytes.length, 0),
  );
}

/** How files are divided among the parts of a chart. */
interface Parts {
  readonly named: Map<string, ChartFile>;
  readonly templates: ChartFile[];
  readonly files: ChartFile[];
  readonly subcharts: Map<string, ChartFile[]>;
}

const NAMED: ReadonlySet<string> = new Set([
  'Chart.yaml',
  'Chart.lock',
  'values.yaml',
  'values.schema.json',
  'requirements.yaml',
  'requirements.lock',
]);

function divide(files: readonly ChartFile[]): Parts {
  const parts: Parts = { named: new Map(), templates: [], files: [], subcharts: new Map() };
  for (const file of files) {
    if (NAMED.has(file.name)) parts.named.set(file.name, file);
    else if (file.name.startsWith('templates/')) parts.templates.push(file);
    else if (file.name.startsWith('charts/') && !file.name.endsWith('.prov')) {
      const name = file.name.slice('charts/'.length);
      const [folder = ''] = name.split('/', 1);
      const inside = parts.subcharts.get(folder);
      if (inside === undefined) parts.subcharts.set(folder, [{ ...file, name }]);
      else inside.push({ ...file, name });
    } else parts.files.push(file);
  }
  return parts;
}

function load(files: readonly ChartFile[], path: string, depth: number, all: Load): Chart {
  if (depth > MAX_DEPTH)
    throw new Fault('RENDER_LIMIT', `charts are nested more than ${MAX_DEPTH} deep`, { where: path });
  all.size += files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (all.size > MAX_CHART_BYTES)
    throw new Fault('RENDER_LIMIT', `decompressed chart is larger than the maximum size ${MAX_CHART_BYTES}`, {
      where: path,
    });
  const parts = divide(files);
  const file = parts.named.get('Chart.yaml');
  if (file === undefined) throw new Fault('CHART_INVALID', 'Chart.yaml file is missing', { where: path });
  const requirements = parts.named.get('requirements.yaml');
  const metadata = metadataCache.get(`${file.id} ${requirements?.id ?? ''}`, () =>
    readMetadata(
      textOf(file),
      requirements === undefined ? undefined : textOf(requirements),
      requirements?.path ?? file.path,
    ),
  );
  const valuesFile = parts.named.get('values.yaml');
  const isOld = metadata.apiVersion === 'v1';
  return {
    metadata,
    file,
    valuesFile,
    values: valuesFile === undefined ? {} : chartValues(valuesFile),
    schema: parts.named.get('values.schema.json'),
    templates: parts.templates,
    files: isOld ? [...parts.files, ...oldFiles(parts)] : parts.files,
    dependencies: subchartsOf(parts, metadata.name, depth, all),
    locked: lockedVersions(parts.named.get('Chart.lock') ?? parts.named.get('requirements.lock')),
    warnings:
      isOld || requirements === undefined
        ? []
        : [
            'Warning: Dependencies are handled in Chart.yaml since apiVersion "v2". We recommend migrating ' +
              'dependencies to Chart.yaml.',
          ],
  };
}

function oldFiles(parts: Parts): ChartFile[] {
  return ['requirements.yaml', 'requirements.lock']
    .map((name) => parts.named.get(name))
    .filter((file) => file !== undefined);
}

function chartValues(file: ChartFile): GoObject {
  return valuesCache.get(
    file.id,
    () => {
      try {
        return readValues(textOf(file), file.path);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        throw new Fault(error.code, `cannot load values.yaml: ${error.message}`, { where: error.where, cause: error });
      }
    },
    () => file.bytes.length * 4,
  );
}

function subchartsOf(parts: Parts, parent: string, depth: number, all: Load): Chart[] {
  const charts: Chart[] = [];
  for (const name of [...parts.subcharts.keys()].sort(compareText)) {
    if (name.startsWith('_') || name.startsWith('.')) continue;
    try {
      charts.push(loadSubchart(name, parts.subcharts.get(name) ?? [], parent, depth, all));
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'CHART_INVALID') throw error;
      throw new Fault(error.code, `error unpacking subchart ${name} in ${parent}: ${error.message}`, {
        where: error.where,
        cause: error,
      });
    }
  }
  return charts;
}

function loadSubchart(name: string, files: readonly ChartFile[], parent: string, depth: number, all: Load): Chart {
  const [first] = files;
  if (!name.endsWith('.tgz')) {
    const inside = files
      .filter((file) => file.name !== name)
      .map((file) => ({ ...file, name: file.name.slice(name.length + 1) }));
    const path = first === undefined ? name : first.path.slice(0, first.path.length - first.name.length + name.length);
    return load(inside, path, depth + 1, all);
  }
  if (first?.name !== name) {
    throw new Fault(
      'CHART_INVALID',
      `error unpacking subchart tar in ${parent}: expected ${name}, got ${first?.name ?? ''}`,
      { where: name },
    );
  }
  return load(unpacked(first.bytes, first.id, first.path), first.path, depth + 1, all);
}

function lockedVersions(file: ChartFile | undefined): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  if (file === undefined) return versions;
  const lock = readLock(file);
  const dependencies = isObject(lock) ? lock.dependencies : undefined;
  for (const dependency of Array.isArray(dependencies) ? dependencies : []) {
    if (!isObject(dependency)) continue;
    const [name, version] = [own(dependency, 'name'), own(dependency, 'version')];
    if (typeof name === 'string' && typeof version === 'string') versions.set(name, version);
  }
  return versions;
}

function readLock(file: ChartFile): unknown {
  try {
    return readOneYaml(textOf(file), { dialect: 'kubernetes' });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(
      'CHART_INVALID',
      `cannot load ${file.name}: error converting YAML to JSON: ${yamlErrorText(error, textOf(file))}`,
      { where: file.path, cause: error },
    );
  }
}

export function textOf(file: ChartFile): string {
  return DECODER.decode(file.bytes);
}
