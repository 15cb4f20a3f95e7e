import { posix } from 'node:path';
import { Fault } from '../../../model/faults/index.js';
import { NeedsContent, needKey, type Need, type TreeReader } from '../../common/index.js';
import type { Chart } from './chart.js';
import { isInRange } from './is-in-range.js';
import { loadArchive } from './load-files.js';
import { loadFolder } from './load-folder.js';
import type { Dependency } from './metadata.js';

export interface DependencySources {
  /** The tree and folder of the chart; without them `file://` cannot be followed. */
  readonly folder?: { readonly reader: TreeReader; readonly path: string };
  /** Archives that were fetched, by `needKey`. */
  readonly archives: ReadonlyMap<string, Uint8Array>;
}

/**
 * Adds the declared subcharts that are not in `charts/`, as `helm dependency build` would: from a folder of the same
 * tree, or from a chart repository, which a render cannot reach and therefore asks for.
 */
export function resolveDependencies(chart: Chart, sources: DependencySources): Chart {
  const present = new Set(chart.dependencies.map(({ metadata }) => metadata.name));
  const missing = (chart.metadata.dependencies ?? []).filter(({ name }) => !present.has(name));
  if (missing.length === 0) return chart;
  const hopeless = missing.filter(({ repository }) => !isFile(repository) && !isAddress(repository));
  if (hopeless.length > 0) throw notFound(hopeless, chart);
  const needs: Need[] = [];
  const found: Chart[] = [];
  for (const dependency of missing) {
    if (isFile(dependency.repository)) found.push(fromFolder(dependency, chart, sources));
    else {
      const need = needOf(dependency, chart);
      const archive = sources.archives.get(needKey(need));
      if (archive === undefined) needs.push(need);
      else found.push(loadArchive(archive, needKey(need), `${need.name}-${need.version}.tgz`));
    }
  }
  if (needs.length > 0) throw new NeedsContent(needs);
  return { ...chart, dependencies: [...chart.dependencies, ...found] };
}

function isFile(repository: string): boolean {
  return repository.startsWith('file://');
}

function isAddress(repository: string): boolean {
  return /^(?:https?|oci):\/\//.test(repository);
}

function needOf({ name, repository, version }: Dependency, chart: Chart): Need & { readonly kind: 'chart' } {
  return { kind: 'chart', repository, name, version: chart.locked.get(name) ?? version };
}

function fromFolder(dependency: Dependency, chart: Chart, { folder }: DependencySources): Chart {
  if (folder === undefined) throw notFound([dependency], chart);
  const given = dependency.repository.slice('file://'.length);
  if (given.startsWith('/'))
    throw new Fault('RENDER_PATH_ESCAPE', `dependency "${dependency.name}" leads out of the repository`, {
      where: chart.file.path,
    });
  const path = posix.join(folder.path, given);
  if (path === '..' || path.startsWith('../'))
    throw new Fault('RENDER_PATH_ESCAPE', `dependency "${dependency.name}" leads out of the repository`, {
      where: chart.file.path,
    });
  const found = loadFolder(folder.reader, path.replace(/\/$/, ''));
  if (!isInRange(found.metadata.version, dependency.version)) {
    throw new Fault('CHART_INVALID', `can't get a valid version for dependency ${dependency.name}`, {
      where: chart.file.path,
    });
  }
  return found;
}

function notFound(missing: readonly Dependency[], chart: Chart): Fault {
  const names = missing.map(({ name }) => name).join(', ');
  return new Fault(
    'CHART_INVALID',
    `an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' ` +
      `to fetch missing dependencies: found in Chart.yaml, but missing in charts/ directory: ${names}`,
    { where: chart.file.path },
  );
}
