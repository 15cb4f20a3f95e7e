import { Fault } from '../../model/faults/index.js';
import type { JsonObject } from '../../model/json/index.js';
import { BoundedCache, type TreeReader } from '../common/index.js';
import { ActiveChart } from './chart/active-chart.js';
import type { Chart } from './chart/chart.js';
import { enableDependencies } from './chart/enable-dependencies.js';
import { importValues } from './chart/import-values.js';
import { loadArchive } from './chart/load-files.js';
import { loadFolder } from './chart/load-folder.js';
import { resolveDependencies } from './chart/resolve-dependencies.js';
import type { GoObject } from './template/value/go-value.js';
import { applySet, inHelmOrder, type SetValue } from './values/apply-sets.js';
import { isPlainNull, ValuesMismatch } from './values/coalesce.js';
import { readValues } from './values/read-values.js';
import { asFloats, copyValue, isTable, overlay } from './values/table.js';

export type ChartSource =
  | { readonly kind: 'folder'; readonly reader: TreeReader; readonly path: string }
  /** `id` is equal for equal bytes; `path` names the archive in faults and origins. */
  | { readonly kind: 'archive'; readonly bytes: Uint8Array; readonly id: string; readonly path: string };

/** A values file, or values that an Application holds itself; later ones win. `id` is equal for equal text. */
export type ValuesDocument =
  | { readonly name: string; readonly text: string; readonly id?: string }
  | { readonly name: string; readonly object: JsonObject };

export interface ChartInput {
  readonly source: ChartSource;
  readonly values: readonly ValuesDocument[];
  readonly sets: readonly SetValue[];
  /** The content of a file that `--set-file` names. */
  readonly readFile?: (path: string) => string;
  /** Charts of repositories that an earlier render asked for, by `needKey`. */
  readonly charts: ReadonlyMap<string, Uint8Array>;
}

const documents = new BoundedCache<GoObject>(32 * 1024 * 1024);

/** The chart with all subcharts it declares. */
export function loadChart({ source, charts }: ChartInput): Chart {
  if (source.kind === 'archive')
    return resolveDependencies(loadArchive(source.bytes, source.id, source.path), { archives: charts });
  const { reader, path } = source;
  return resolveDependencies(loadFolder(reader, path), { archives: charts, folder: { reader, path } });
}

export function documentValues(document: ValuesDocument): GoObject {
  if ('object' in document) {
    const values = asFloats(copyValue(document.object));
    return isTable(values) ? values : {};
  }
  const { name, text } = document;
  return documents.get(
    document.id ?? text,
    () => {
      try {
        return readValues(text, name);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        throw new Fault(error.code, `failed to parse ${name}: ${error.message}`, { where: error.where, cause: error });
      }
    },
    () => text.length * 4,
  );
}

/** What the user gives: files in their order, then single values. */
export function givenValues({ values, sets, readFile = unreadable }: ChartInput): GoObject {
  let given: GoObject = {};
  for (const document of values) given = overlay(given, documentValues(document));
  if (sets.length === 0) return given;
  // Single values change maps in place, and these may be shared with what is kept.
  given = copyValue(given);
  for (const set of inHelmOrder(sets)) given = applySet(given, set, readFile);
  return given;
}

function unreadable(path: string): string {
  throw new Fault('VALUES_INVALID', `failed parsing --set-file data: open ${path}: no such file or directory`, {
    where: '--set-file',
  });
}

/** The chart as it takes part in this render: subcharts switched on or off, their values imported. */
export function activate(chart: Chart, given: GoObject, warn: (message: string) => void): ActiveChart {
  const { type } = chart.metadata;
  if (type !== '' && type !== 'application')
    throw new Fault('CHART_INVALID', `${type} charts are not installable`, { where: chart.file.path });
  if (!['v1', 'v2'].includes(chart.metadata.apiVersion)) {
    throw new Fault(
      'CHART_INVALID',
      chart.metadata.apiVersion === 'v3' ? 'invalid chart apiVersion' : 'unsupported chart version',
      { where: chart.file.path },
    );
  }
  const active = new ActiveChart(chart);
  const options = {
    keepNulls: false,
    warn,
    isNull: isPlainNull,
    flagOf: (value: unknown) => (typeof value === 'boolean' ? value : undefined),
  };
  try {
    enableDependencies(active, given, options);
    importValues(active, options);
  } catch (error) {
    if (error instanceof ValuesMismatch)
      throw new Fault('VALUES_INVALID', `chart dependencies processing failed: ${error.message}`, {
        where: chart.file.path,
      });
    throw error;
  }
  return active;
}
