import { isArray, isObject, own, type Json } from '../../../model/json/index.js';
import type { ActiveChart } from '../chart/active-chart.js';
import { activate, givenValues, loadChart, type ChartInput } from '../prepare-chart.js';
import { finalValues } from '../render-chart.js';
import { traceValues, type ValueOrigin } from '../trace-values.js';
import type { EmptyOverride } from '../values/empty-overrides.js';
import { asJson } from '../values/table.js';
import type { ValuePlace } from '../values/traced.js';

/** A file that can set values; `base` is where they stand in those of the whole. */
export interface ValuesFile {
  readonly file: string;
  readonly base: readonly string[];
  /** Whether it is a chart's own, and not one that the user gave. */
  readonly isChart: boolean;
}

export interface ChartValuesOptions {
  /** Turns the path of a chart's file in its tree into what the reader knows it by. */
  readonly nameOf: (path: string) => string;
}

/** The values of a chart with where each came from, and the chart as these values switch it. */
export class ChartValues {
  readonly chart: ActiveChart;
  /** As the templates of the chart see them. */
  readonly values: Json;
  /** In the order of their paths, removed ones included. */
  readonly origins: readonly ValueOrigin[];
  readonly emptyOverrides: readonly EmptyOverride[];
  /** The strongest first. */
  readonly files: readonly ValuesFile[];
  readonly nameOf: (path: string) => string;
  readonly #byPath: ReadonlyMap<string, ValueOrigin>;

  constructor(input: ChartInput, { nameOf }: ChartValuesOptions = { nameOf: (path) => path }) {
    const given = givenValues(input);
    const silent = (): void => undefined;
    this.nameOf = nameOf;
    this.chart = activate(loadChart(input), given, silent);
    this.values = asJson(finalValues(this.chart, given, silent));
    const charts = chartFiles(this.chart);
    const renamed = new Map(charts.map(({ file }) => [file, nameOf(file)]));
    const place = <T extends ValuePlace | undefined>(one: T): T =>
      one === undefined ? one : { ...one, file: renamed.get(one.file) ?? one.file };
    const placed = <T extends { readonly place: ValuePlace }>(one: T): T => ({ ...one, place: place(one.place) });
    const trace = traceValues(input);
    this.origins = trace.values.map((origin) => ({
      ...origin,
      place: place(origin.place),
      shadowed: origin.shadowed.map(placed),
    }));
    this.files = [
      ...input.values.map(({ name }) => ({ file: name, base: [], isChart: false })).toReversed(),
      ...charts.map((one) => ({ ...one, file: nameOf(one.file) })),
    ];
    const isChart = (file: string): boolean => this.files.some((one) => one.isChart && one.file === file);
    // What a chart itself sets over its subcharts is its author's choice.
    this.emptyOverrides = trace.findings
      .map((one) => ({ ...one, override: placed(one.override), hidden: placed(one.hidden) }))
      .filter(({ override }) => !isChart(override.place.file));
    this.#byPath = new Map(this.origins.map((origin) => [pathKey(origin.path), origin]));
  }

  /** Of a value, a list or an empty map; a removed one too. */
  originOf(path: readonly string[]): ValueOrigin | undefined {
    return this.#byPath.get(pathKey(path));
  }

  /** Of all values inside a map, or of the value itself. */
  originsBelow(path: readonly string[]): ValueOrigin[] {
    return this.origins.filter((origin) => path.every((name, index) => origin.path[index] === name));
  }

  valueAt(path: readonly string[]): Json | undefined {
    return valueByPath(this.values, path);
  }

  /** Where a value of this path could be set, with the key to write there. */
  filesFor(path: readonly string[]): { readonly file: string; readonly key: readonly string[] }[] {
    return this.files
      .filter(({ base }) => base.length < path.length && base.every((name, index) => path[index] === name))
      .map(({ file, base }) => ({ file, key: path.slice(base.length) }));
  }
}

/** The values file of each chart that takes part, parents before their subcharts. */
function chartFiles(chart: ActiveChart): ValuesFile[] {
  const folder = chart.chart.file.path.slice(0, -'Chart.yaml'.length);
  const own = { file: chart.chart.valuesFile?.path ?? `${folder}values.yaml`, base: chart.valuesPath, isChart: true };
  return [own, ...chart.dependencies.flatMap(chartFiles)];
}

/** The value at the end of a path; undefined where a step is missing. Numbers lead into lists. */
function valueByPath(value: Json, path: readonly string[]): Json | undefined {
  let current: Json | undefined = value;
  for (const name of path) {
    if (isArray(current)) current = /^\d+$/.test(name) ? current[Number(name)] : undefined;
    else if (isObject(current)) current = own(current, name);
    else return undefined;
  }
  return current;
}

function pathKey(path: readonly string[]): string {
  return path.join('\0');
}
