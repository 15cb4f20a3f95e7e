import { compareText } from '../../model/go/index.js';
import type { Json } from '../../model/json/index.js';
import { ActiveChart } from './chart/active-chart.js';
import type { Chart } from './chart/chart.js';
import { enableDependencies } from './chart/enable-dependencies.js';
import { importValues } from './chart/import-values.js';
import { textOf } from './chart/load-files.js';
import { documentValues, givenValues, loadChart, type ChartInput } from './prepare-chart.js';
import { entryOf, setEntry, type GoObject, type GoValue } from './template/value/go-value.js';
import { applySet, inHelmOrder } from './values/apply-sets.js';
import { coalesceValues } from './values/coalesce.js';
import { emptyOverrides, type EmptyOverride } from './values/empty-overrides.js';
import { fileLayer, leafPaths, lookUp, plainLayer, type Layer } from './values/layer.js';
import { asJson, isTable, overlay } from './values/table.js';
import { isTracedNull, Traced, tracedFlag, type ValuePlace } from './values/traced.js';

export interface PlacedValue {
  readonly place: ValuePlace;
  readonly value: Json;
}

/** One value that templates see, who set it, and who else tried. */
export interface ValueOrigin {
  readonly path: readonly string[];
  readonly value: Json;
  /** Undefined for a map without entries that nobody wrote: that of a subchart without values. */
  readonly place: ValuePlace | undefined;
  /** A null took the value away: templates see nothing here. */
  readonly removed: boolean;
  /** Nearest first. */
  readonly shadowed: readonly PlacedValue[];
}

export interface ValuesTrace {
  readonly values: readonly ValueOrigin[];
  readonly findings: readonly EmptyOverride[];
}

/**
 * Where every effective value of a chart comes from: the merge is done once more on values that carry their place, so
 * the answer is that of the render and not a guess. Throws NeedsContent and faults as a render does.
 */
export function traceValues(input: ChartInput): ValuesTrace {
  const chart = loadChart(input);
  const given = givenLayers(input);
  const merged = given.reduce<GoObject>((below, layer) => overlay(below, layer.traced), {});
  const { active, charts } = activateTraced(chart, merged);
  const values = coalesceValues(active, merged, OPTIONS);
  // Deeper charts first: their values are the first to lose.
  const layers = [...charts.sort((a, b) => b.path.length - a.path.length), ...given];
  const origins = [...effective(values, layers), ...removed(values, layers)].sort((a, b) =>
    compareText(a.path.join('\0'), b.path.join('\0')),
  );
  return { values: origins, findings: emptyOverrides(origins) };
}

const OPTIONS = { keepNulls: false, warn: () => undefined, isNull: isTracedNull, flagOf: tracedFlag };

function givenLayers(input: ChartInput): Layer[] {
  const layers = input.values.map((document) =>
    'text' in document
      ? fileLayer(document.text, document.name, [])
      : plainLayer(documentValues(document), { file: document.name, line: 0, column: 0 }),
  );
  if (input.sets.length === 0) return layers;
  const whole = givenValues(input);
  const readFile = input.readFile ?? ((): string => '');
  for (const set of inHelmOrder(input.sets)) {
    const assigned = applySet({}, set, readFile);
    // A list is one value, and its other items may come from a file: the whole knows it in full.
    const values: GoObject = {};
    for (const path of leafPaths(assigned))
      place(values, path, valueByPath(whole, path) ?? valueByPath(assigned, path) ?? null);
    layers.push(plainLayer(values, { file: `--${set.kind} ${set.text}`, line: 0, column: 0 }));
  }
  return layers;
}

function place(table: GoObject, path: readonly string[], value: GoValue): void {
  let holder = table;
  for (const name of path.slice(0, -1)) {
    const next = entryOf(holder, name);
    const inner = isTable(next) ? next : {};
    setEntry(holder, name, inner);
    holder = inner;
  }
  setEntry(holder, path.at(-1) ?? '', value);
}

function valueByPath(table: GoObject, path: readonly string[]): GoValue | undefined {
  let value: GoValue | undefined = table;
  for (const name of path) value = isTable(value) ? entryOf(value, name) : undefined;
  return value;
}

/** The charts as they take part, with traced values, and a layer for the file of each. */
function activateTraced(chart: Chart, given: GoObject): { readonly active: ActiveChart; readonly charts: Layer[] } {
  const traced = new Map<Chart, Layer>();
  const layerOf = (one: Chart): Layer => {
    const known = traced.get(one);
    if (known !== undefined) return known;
    const layer =
      one.valuesFile === undefined
        ? plainLayer({}, { file: one.file.path, line: 0, column: 0 })
        : fileLayer(textOf(one.valuesFile), one.valuesFile.path, []);
    traced.set(one, layer);
    return layer;
  };
  const active = new ActiveChart(chart, undefined, (one) => layerOf(one).traced);
  enableDependencies(active, given, OPTIONS);
  const charts: Layer[] = [];
  const visit = (one: ActiveChart): void => {
    const file = one.chart.valuesFile;
    if (file !== undefined) charts.push(fileLayer(textOf(file), file.path, one.valuesPath));
    for (const dependency of one.dependencies) visit(dependency);
  };
  visit(active);
  importValues(active, OPTIONS);
  return { active, charts };
}

function* effective(values: GoObject, layers: readonly Layer[]): Generator<ValueOrigin> {
  for (const path of leafPaths(values)) {
    const leaf = valueByPath(values, path) ?? null;
    const said = others(path, layers, undefined);
    // An empty map carries no place of its own: the strongest who wrote it set it.
    const winner = leaf instanceof Traced ? leaf.place : said[0]?.place;
    const value = asJson(leaf instanceof Traced ? leaf.value : leaf);
    yield {
      path,
      value,
      place: winner,
      removed: false,
      shadowed: said.filter(({ place: other }) => !isSame(other, winner)),
    };
  }
}

/** Values that a null of a file or of `--set` took away. */
function* removed(values: GoObject, layers: readonly Layer[]): Generator<ValueOrigin> {
  const seen = new Set<string>();
  for (const layer of [...layers].reverse()) {
    for (const below of leafPaths(layer.values)) {
      const path = [...layer.path, ...below];
      const key = path.join('\0');
      const said = lookUp(layer, path);
      if (said?.value !== null || seen.has(key) || valueByPath(values, path) !== undefined) continue;
      seen.add(key);
      yield { path, value: null, place: said.place, removed: true, shadowed: others(path, layers, said.place) };
    }
  }
}

/** Everyone else who says something about the path, the strongest first; for a global also its parents' globals. */
function others(path: readonly string[], layers: readonly Layer[], winner: ValuePlace | undefined): PlacedValue[] {
  const found: PlacedValue[] = [];
  for (const layer of [...layers].reverse()) {
    for (const one of samePaths(path)) {
      const said = lookUp(layer, one);
      if (
        said === undefined ||
        isSame(said.place, winner) ||
        found.some(({ place: other }) => isSame(other, said.place))
      )
        continue;
      found.push({ place: said.place, value: asJson(said.value) });
    }
  }
  return found;
}

function samePaths(path: readonly string[]): (readonly string[])[] {
  const at = path.indexOf('global');
  if (at <= 0) return [path];
  return Array.from({ length: at + 1 }, (_unused, count) => [...path.slice(0, count), ...path.slice(at)]);
}

function isSame(a: ValuePlace, b: ValuePlace | undefined): boolean {
  return a.file === b?.file && a.line === b.line && a.column === b.column;
}
