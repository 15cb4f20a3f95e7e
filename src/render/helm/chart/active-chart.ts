import { posix } from 'node:path';
import type { GoObject } from '../template/value/go-value.js';
import type { Chart } from './chart.js';
import type { ChartFile } from './chart-file.js';
import type { Dependency, Metadata } from './metadata.js';

/**
 * A chart in one render: under its alias, with the subcharts that are switched on and the values that it ends up with.
 * Which parts two uses of one chart share is as in Helm, because it shows: the subcharts of a subchart that nobody
 * declared are the same for all aliases and keep the path of the first.
 */
export class ActiveChart {
  readonly chart: Chart;
  values: GoObject;
  dependencies: ActiveChart[] = [];
  readonly #shared: { metadata: Metadata };
  #parent: ActiveChart | undefined;

  constructor(
    chart: Chart,
    parent?: ActiveChart,
    valuesOf: (chart: Chart) => GoObject = (one) => one.values,
    shared = { metadata: chart.metadata },
  ) {
    this.chart = chart;
    this.values = valuesOf(chart);
    this.#shared = shared;
    this.#parent = parent;
    this.dependencies = chart.dependencies.map((dependency) => new ActiveChart(dependency, this, valuesOf));
  }

  get metadata(): Metadata {
    return this.#shared.metadata;
  }

  set metadata(metadata: Metadata) {
    this.#shared.metadata = metadata;
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
    const copy = this.#copy(parent, { metadata: alias === '' ? this.metadata : { ...this.metadata, name: alias } });
    copy.dependencies = this.dependencies.map((dependency) => dependency.#copy(copy, dependency.#shared));
    return copy;
  }

  #copy(parent: ActiveChart, shared: { metadata: Metadata }): ActiveChart {
    const copy = new ActiveChart({ ...this.chart, dependencies: [] }, parent, () => this.values, shared);
    copy.dependencies = this.dependencies;
    return copy;
  }

  setDependencies(charts: readonly ActiveChart[], declared: readonly Dependency[] | undefined): void {
    this.dependencies = [...charts];
    for (const chart of charts) chart.#parent = this;
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
