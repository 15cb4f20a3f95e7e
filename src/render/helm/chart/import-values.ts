import { verbText } from '../template/value/go-print.js';
import { STRING_MAP } from '../template/value/go-type.js';
import { entryOf, GoMap, setEntry, type GoObject, type GoValue } from '../template/value/go-value.js';
import { coalesceTables, coalesceValues, type CoalesceOptions } from '../values/coalesce.js';
import { copyValue, isTable, tableAt } from '../values/table.js';
import type { ActiveChart } from './active-chart.js';
import type { Dependency } from './metadata.js';

interface Import {
  readonly child: string;
  readonly parent: string;
}

/**
 * Gives each chart that declares subcharts its full values, theirs included, and what it imports from them below its
 * own.
 * Nulls stay: they still have to remove what comes from elsewhere.
 */
export function importValues(chart: ActiveChart, options: CoalesceOptions): void {
  for (const dependency of chart.dependencies) importValues(dependency, options);
  const declared = chart.metadata.dependencies;
  if (declared === undefined) return;
  const keeping = { ...options, keepNulls: true };
  const values = coalesceValues(chart, {}, keeping);
  const imported: GoObject = {};
  const read = declared.map((dependency) => ({
    dependency,
    imports: dependency.importValues.map(readImport).filter((one) => one !== undefined),
  }));
  for (const { dependency, imports } of read) {
    for (const { child, parent } of imports) {
      const table = tableAt(values, [dependency.name, ...child.split('.')]);
      if (table === undefined)
        options.warn(`ImportValues missing table from chart chart=${dependency.name} table=${child}`);
      // Helm hands a table on as it is, to be filled by the next import too, but replaces an empty one.
      else coalesceTables(imported, placedAt(parent, Object.keys(table).length === 0 ? {} : table), '', keeping);
    }
  }
  chart.values = coalesceTables(copyValue(values), imported, '', keeping);
  chart.metadata = {
    ...chart.metadata,
    dependencies: read.map(({ dependency, imports }) => withImports(dependency, imports)),
  };
}

/** `exports.NAME` into the root, or what `child` and `parent` say. */
function readImport(value: GoValue): Import | undefined {
  if (typeof value === 'string') return { child: `exports.${value}`, parent: '.' };
  if (!isTable(value)) return undefined;
  const text = (name: string): string => verbText(entryOf(value, name) ?? null, 'v');
  return { child: text('child'), parent: text('parent') };
}

function placedAt(path: string, table: GoObject): GoObject {
  if (path === '.') return table;
  return path.split('.').reduceRight<GoObject>((inner, name) => {
    const outer: GoObject = {};
    setEntry(outer, name, inner);
    return outer;
  }, table);
}

/** As templates see them in `.Chart.Dependencies`. */
function withImports(dependency: Dependency, imports: readonly Import[]): Dependency {
  return { ...dependency, importValues: imports.map(({ child, parent }) => new GoMap(STRING_MAP, { child, parent })) };
}
