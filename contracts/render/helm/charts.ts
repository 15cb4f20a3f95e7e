import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isObject, own, type Json, type JsonObject } from '../../../src/model/json/index.js';
import { readOneYaml, writeYaml } from '../../../src/model/yaml/index.js';
import { partsDir } from '../../real/go-build.js';
import { CHART_MODULES, chartFolders, fetchModules, moduleVersion, type ModuleName } from '../modules.js';

/** A chart that others wrote, with everything in `charts/` that it asks for. */
export interface ChartFolder {
  /** `module/chart`. */
  readonly name: string;
  readonly folder: string;
  /** Equal only for equal content. */
  readonly key: string;
  /** Dependencies that no module has; the copy does without them. */
  readonly without: readonly string[];
}

/** A chart as it stands in a module. */
interface Found {
  readonly module: string;
  readonly chart: string;
  readonly folder: string;
  readonly key: string;
}

type Listed =
  | { readonly kind: 'there'; readonly charts: readonly ChartFolder[] }
  | { readonly kind: 'missing'; readonly reason: string };

/** Every chart of the modules that can be installed; libraries cannot. */
export async function listCharts(modules: readonly ModuleName[] = CHART_MODULES): Promise<Listed> {
  const fetched = await fetchModules(modules);
  if (fetched.kind === 'missing') return fetched;
  const found = modules.flatMap((module) =>
    chartFolders(module).flatMap((folder) =>
      chartsBelow(join(fetched.folder(module), folder), module, `${moduleVersion(module)} ${folder}`),
    ),
  );
  return {
    kind: 'there',
    charts: found.filter(({ folder }) => isApplication(folder)).map((chart) => withDependencies(chart, found)),
  };
}

/** A chart anywhere on disk; what it asks for may stand beside it. */
export function chartAt(path: string): ChartFolder {
  const folder = resolve(path);
  const found = chartsBelow(dirname(folder), 'disk', `${dirname(folder)} ${statSync(folder).mtimeMs}`);
  const wanted = found.find((each) => each.folder === folder);
  if (wanted === undefined) throw new Error(`there is no Chart.yaml in ${folder}`);
  return withDependencies(wanted, found);
}

function chartsBelow(folder: string, module: string, key: string): Found[] {
  return (
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'Chart.yaml')))
      // A folder that is just called chart says nothing: the one above it does.
      .map(({ name }) => ({
        module,
        chart: name === 'chart' ? basename(folder) : name,
        folder: join(folder, name),
        key: `${key}/${name}`,
      }))
  );
}

function isApplication(folder: string): boolean {
  return own(readObject(join(folder, 'Chart.yaml')), 'type') !== 'library';
}

function readObject(path: string): JsonObject {
  const value = readOneYaml(readFileSync(path, 'utf8'), { dialect: 'kubernetes', file: path });
  return isObject(value) ? value : {};
}

/** The file that names the dependencies of a chart: its own, or that of the old layout. */
function dependenciesOf(folder: string): {
  readonly path: string;
  readonly object: JsonObject;
  readonly list: readonly JsonObject[];
} {
  const old = join(folder, 'requirements.yaml');
  const path = existsSync(old) ? old : join(folder, 'Chart.yaml');
  const object = readObject(path);
  const list = own(object, 'dependencies');
  return { path, object, list: Array.isArray(list) ? list.filter(isObject) : [] };
}

function isVendored(folder: string, name: string): boolean {
  const charts = join(folder, 'charts');
  if (!existsSync(charts)) return false;
  return readdirSync(charts).some(
    (entry) => entry === name || (entry.startsWith(`${name}-`) && entry.endsWith('.tgz')),
  );
}

/**
 * Charts are published with their dependencies in `charts/`, but kept without. A copy gets those that some module has,
 * at that version, and loses the others from its list.
 */
function withDependencies({ module, chart, folder, key }: Found, all: readonly Found[]): ChartFolder {
  const name = `${module}/${chart}`;
  const { path, object, list } = dependenciesOf(folder);
  const missing = list.map((dependency) => String(dependency['name'])).filter((each) => !isVendored(folder, each));
  if (missing.length === 0) return { name, folder, key, without: [] };
  const taken = new Map<string, ChartFolder>();
  for (const each of missing) {
    const source =
      all.find((one) => one.module === module && one.chart === each) ?? all.find((one) => one.chart === each);
    if (source !== undefined && source.folder !== folder) taken.set(each, withDependencies(source, all));
  }
  const without = missing.filter((each) => !taken.has(each));
  const fullKey = [key, ...[...taken.values()].map((each) => each.key)].join(' + ');
  const kept = list
    .filter((dependency) => !without.includes(String(dependency['name'])))
    .map((dependency) => atVersion(dependency, taken));
  const copy = join(
    partsDir('charts'),
    createHash('sha256').update(`${chart} ${fullKey}`).digest('hex').slice(0, 16),
    chart,
  );
  if (!existsSync(copy))
    assemble({
      from: folder,
      to: copy,
      taken,
      file: path.slice(folder.length + 1),
      text: writeYaml({ ...object, dependencies: kept }),
    });
  return { name, folder: copy, key: fullKey, without };
}

function atVersion(dependency: JsonObject, taken: ReadonlyMap<string, ChartFolder>): JsonObject {
  const source = taken.get(String(dependency['name']));
  if (source === undefined) return dependency;
  const version: Json | undefined = own(readObject(join(source.folder, 'Chart.yaml')), 'version');
  return { ...dependency, version: version ?? '' };
}

interface Assembly {
  readonly from: string;
  readonly to: string;
  readonly taken: ReadonlyMap<string, ChartFolder>;
  readonly file: string;
  readonly text: string;
}

function assemble({ from, to, taken, file, text }: Assembly): void {
  const unfinished = `${dirname(to)}.${process.pid}`;
  const chart = join(unfinished, to.slice(dirname(to).length + 1));
  mkdirSync(unfinished, { recursive: true });
  try {
    copyFolder(from, chart);
    for (const [name, source] of taken) copyFolder(source.folder, join(chart, 'charts', name));
    writeFileSync(join(chart, file), text);
    rmSync(join(chart, 'Chart.lock'), { force: true });
    rmSync(join(chart, 'requirements.lock'), { force: true });
    renameSync(unfinished, dirname(to));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** The cache of Go modules is read-only; a copy must not be. */
export function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    else if (entry.isFile()) writeFileSync(target, readFileSync(source));
    else cpSync(source, target, { verbatimSymlinks: true });
  }
}
