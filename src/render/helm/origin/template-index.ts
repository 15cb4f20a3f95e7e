import type { ActiveChart } from '../chart/active-chart.js';
import type { ChartFile } from '../chart/chart-file.js';
import { HELM_FUNCTIONS } from '../functions/helm-functions.js';
import { templateText } from '../render-templates.js';
import type { Tree } from '../template/parse/node.js';
import { isEmptyTree } from '../template/parse/node.js';
import { parseCached } from '../template/parse-cache.js';
import { TemplateError } from '../template/template-error.js';

/** A template file of a chart or subchart, under the name that errors and `# Source:` give it. */
export interface IndexedTemplate {
  readonly name: string;
  readonly file: ChartFile;
  /** Where the values that it sees as `.Values` stand in those of the whole. */
  readonly values: readonly string[];
  /** What it defines by name; its own text under its own name. Empty where it cannot be parsed. */
  readonly trees: ReadonlyMap<string, Tree>;
}

/** The templates of a chart and its subcharts, to look things up in. */
export class TemplateIndex {
  readonly #files = new Map<string, IndexedTemplate>();
  readonly #trees = new Map<string, Tree>();

  constructor(chart: ActiveChart) {
    this.#read(chart);
  }

  get templates(): IndexedTemplate[] {
    return [...this.#files.values()];
  }

  file(name: string): IndexedTemplate | undefined {
    return this.#files.get(name);
  }

  /** A template by the name that `include` uses. */
  tree(name: string): Tree | undefined {
    return this.#trees.get(name);
  }

  #read(chart: ActiveChart): void {
    for (const file of chart.chart.templates) {
      const name = `${chart.fullPath}/${file.name}`;
      const trees = parsed(name, templateText(file));
      this.#files.set(name, { name, file, values: chart.valuesPath, trees });
      for (const [inside, tree] of trees)
        if (!this.#trees.has(inside) && !isEmptyTree(tree.root)) this.#trees.set(inside, tree);
    }
    for (const dependency of chart.dependencies) this.#read(dependency);
  }
}

function parsed(name: string, text: string): ReadonlyMap<string, Tree> {
  try {
    return parseCached({ name, text }, HELM_FUNCTIONS);
  } catch (error) {
    // The render tells what is wrong with it.
    if (error instanceof TemplateError) return new Map();
    throw error;
  }
}
