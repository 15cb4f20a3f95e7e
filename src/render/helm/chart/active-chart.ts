import { posix } from 'node:path';
import type { GoObject } from '../template/value.js';
import type { Chart } from './chart.js';
import type { ChartFile } from './chart-file.js';
import type { Dependency, Metadata } from './metadata.js';

/** A chart in one render: under its alias, with the subcharts that are switched on and the values that it ends up with. */
export class ActiveChart {
  readonly chart: Chart;
  metadata: Metadata;
  values: GoObject;
  dependencies: ActiveChart[] = [];
  #parent: ActiveChart | undefined;

  constructor(chart: Chart, parent?: ActiveChart, valuesOf: (chart: Chart) => GoObject = (one) => one.values) {
    this.chart = chart;
    this.metadata = chart.metadata;
    this.values = valuesOf(chart);
    this.#parent = parent;
    this.dependencies = chart.dependencies.map((dependency) => new ActiveChart(dependency, this, valuesOf));
  }

  get name(): string {
    return this.metadata.name;
  }

  get isRoot(): boolean {
    return this.#parent === undefined;
  }

  get isLibrary(): boolean {
    return this.metadata.type.toLowerCase() === 'library';
  }

  get parent(): ActiveChart | undefined {
    return this.#parent;
  }

  /** Names from the root down, without the root: where its values stand in those of the root. */
  get valuesPath(): string[] {
    return this.#parent === undefined ? [] : [...this.#parent.valuesPath, this.name];
  }

  /** As `# Source:` lines name it. */
  get fullPath(): string {
    return this.#parent === undefined ? this.name : `${this.#parent.fullPath}/charts/${this.name}`;
  }

  /** A copy of its own that an alias may rename. */
  under(parent: ActiveChart, alias: string): ActiveChart {
    const copy = new ActiveChart({ ...this.chart, dependencies: [] }, parent);
    copy.metadata = alias === '' ? this.metadata : { ...this.metadata, name: alias };
    copy.values = this.values;
    copy.dependencies = this.dependencies.map((dependency) => dependency.under(copy, ''));
    return copy;
  }

  setDependencies(charts: readonly ActiveChart[], declared: readonly Dependency[] | undefined): void {
    this.dependencies = [...charts];
    this.metadata = { ...this.metadata, dependencies: declared };
  }

  /** Files in `crds/`, its own first. */
  get crds(): { readonly source: string; readonly file: ChartFile }[] {
    const own = this.chart.files.filter(({ name }) => name.startsWith('crds/') && /\.(?:ya?ml|json)$/i.test(name));
    return [
      ...own.map((file) => ({ source: posix.join(this.fullPath, file.name), file })),
      ...this.dependencies.flatMap((dependency) => dependency.crds),
    ];
  }
}
