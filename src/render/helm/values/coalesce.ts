import { quoteGo } from '../../../model/go/index.js';
import { verbText } from '../template/value/go-print.js';
import { entryOf, setEntry, type GoObject, type GoValue } from '../template/value/go-value.js';
import { copyShallow, copyValue, has, isTable, remove } from './table.js';

/** A chart as its values are concerned. */
export interface ValuesChart {
  readonly name: string;
  readonly values: GoObject;
  readonly dependencies: readonly ValuesChart[];
}

export interface CoalesceOptions {
  /** Keeps nulls, for a later pass that removes what they stand for. */
  readonly keepNulls: boolean;
  readonly warn: (message: string) => void;
  /** Whether a value is null; a traced value knows what it holds. */
  readonly isNull: (value: GoValue | undefined) => boolean;
}

const GLOBAL = 'global';

export function isPlainNull(value: GoValue | undefined): boolean {
  return value === null;
}

/** What happens where a parent holds something else than a map under the name of a subchart. */
export class ValuesMismatch extends Error {}

/**
 * The values of a chart and, under the name of each, of its subcharts: what is given wins over the chart's own values,
 * a parent's values over its subchart's, maps are merged, and a null removes the key. `given` is not changed.
 */
export function coalesceValues(chart: ValuesChart, given: GoObject, options: CoalesceOptions): GoObject {
  return coalesceChart(chart, copyValue(given), '', options);
}

function coalesceChart(chart: ValuesChart, values: GoObject, prefix: string, options: CoalesceOptions): GoObject {
  const place = joined(prefix, chart.name);
  addChartValues(chart, values, place, options);
  for (const subchart of chart.dependencies) {
    if (!has(values, subchart.name)) setEntry(values, subchart.name, {});
    const own = entryOf(values, subchart.name) ?? null;
    if (!isTable(own)) throw new ValuesMismatch(`type mismatch on ${subchart.name}: ${verbText(own, 't')}`);
    shareGlobals(values, own, place, options);
    setEntry(values, subchart.name, coalesceChart(subchart, own, place, options));
  }
  return values;
}

function addChartValues(chart: ValuesChart, values: GoObject, place: string, options: CoalesceOptions): void {
  const defaults = copyValue(chart.values);
  for (const key of Object.keys(defaults)) {
    const fallback = entryOf(defaults, key) ?? null;
    if (!has(values, key)) {
      if (options.keepNulls) setEntry(values, key, fallback);
      else if (!options.isNull(fallback)) {
        if (isTable(fallback)) dropNulls(fallback, options);
        setEntry(values, key, fallback);
      }
      continue;
    }
    const value = entryOf(values, key);
    if (options.isNull(value) && !options.keepNulls) remove(values, key);
    else if (isTable(value)) mergeDefault(chart, value, fallback, joined(place, key), key, options);
  }
}

function mergeDefault(
  chart: ValuesChart,
  value: GoObject,
  fallback: GoValue,
  place: string,
  key: string,
  options: CoalesceOptions,
): void {
  if (!isTable(fallback)) {
    if (!options.isNull(fallback)) options.warn(`warning: skipped value for ${place}: Not a table.`);
    return;
  }
  // What belongs to a subchart keeps its nulls: they speak to the subchart's own values, which come later.
  const keepNulls = options.keepNulls || chart.dependencies.some(({ name }) => name === key);
  if (!keepNulls) dropNulls(fallback, options);
  coalesceTables(value, fallback, place, { ...options, keepNulls });
}

/** Gives the subchart the globals of its parent; they win over the globals in its own part. */
function shareGlobals(parent: GoObject, child: GoObject, place: string, options: CoalesceOptions): void {
  const theirs = has(child, GLOBAL) ? entryOf(child, GLOBAL) : {};
  if (!isTable(theirs)) return options.warn(`warning: skipping globals because destination ${GLOBAL} is not a table.`);
  const ours = has(parent, GLOBAL) ? entryOf(parent, GLOBAL) : {};
  if (!isTable(ours)) return options.warn(`warning: skipping globals because source ${GLOBAL} is not a table.`);
  for (const key of Object.keys(ours)) {
    const value = entryOf(ours, key) ?? null;
    const other = entryOf(theirs, key);
    if (isTable(value)) shareTable(theirs, key, value, place, options);
    else if (isTable(other)) options.warn(`key ${key} is table. Skipping`);
    else setEntry(theirs, key, value);
  }
  setEntry(child, GLOBAL, theirs);
}

function shareTable(theirs: GoObject, key: string, value: GoObject, place: string, options: CoalesceOptions): void {
  const copy = copyShallow(value);
  if (has(theirs, key)) {
    const other = entryOf(theirs, key);
    if (!isTable(other)) return options.warn(`Conflict: cannot merge map onto non-map for ${quoteGo(key)}. Skipping.`);
    coalesceTables(copy, other, joined(place, key), { ...options, keepNulls: true });
  }
  setEntry(theirs, key, copy);
}

/** Fills `table` with what `below` has and it lacks. Both change; nested tables of `below` become part of `table`. */
export function coalesceTables(table: GoObject, below: GoObject, place: string, options: CoalesceOptions): GoObject {
  const { isNull, warn } = options;
  const meant = new Set(Object.keys(below).filter((key) => !isNull(entryOf(below, key))));
  for (const key of Object.keys(table)) if (isNull(entryOf(table, key))) setEntry(below, key, null);
  for (const key of Object.keys(below)) {
    const value = entryOf(below, key) ?? null;
    const mine = entryOf(table, key);
    if (mine === undefined) setEntry(table, key, value);
    else if (!options.keepNulls && isNull(mine) && meant.has(key)) remove(table, key);
    else if (isTable(value)) {
      if (isTable(mine)) coalesceTables(mine, value, joined(place, key), options);
      else warn(`warning: cannot overwrite table with non table for ${joined(place, key)} (${verbText(value, 'v')})`);
    } else if (isTable(mine) && !isNull(value)) {
      warn(
        `warning: destination for ${joined(place, key)} is a table. Ignoring non-table value (${verbText(value, 'v')})`,
      );
    }
  }
  return table;
}

function dropNulls(table: GoObject, options: CoalesceOptions): void {
  for (const key of Object.keys(table)) {
    const value = entryOf(table, key);
    if (options.isNull(value)) remove(table, key);
    else if (isTable(value)) dropNulls(value, options);
  }
}

function joined(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}.${name}`;
}
