import { compareText } from '../../model/go/index.js';
import type { ActiveChart } from './chart/active-chart.js';
import type { ChartFile } from './chart/chart-file.js';
import { capabilitiesOf } from './objects/capabilities.js';
import { chartObject } from './objects/chart-object.js';
import { filesOf } from './objects/files.js';
import type { KubeVersion } from './objects/kube-version.js';
import { asValues } from './objects/values-type.js';
import { templateFault } from './output/template-failure.js';
import { Budget } from './template/budget.js';
import { fromBytes } from './template/value/go-text.js';
import type { GoFunctions } from './template/value/go-function.js';
import { withoutNoValue } from './template/execute/run.js';
import { TemplateError } from './template/template-error.js';
import { TemplateSet } from './template/template-set.js';
import { entryOf, setEntry, type GoObject, type GoValue } from './template/value/go-value.js';
import { isTable } from './values/table.js';

export interface Release {
  readonly name: string;
  readonly namespace: string;
  readonly isUpgrade?: boolean;
}

export interface TemplateContext {
  readonly release: Release;
  readonly kubeVersion: KubeVersion;
  readonly apiVersions: readonly string[];
  readonly functions: GoFunctions;
  /** Clock and randomness for the functions. */
  readonly host: unknown;
}

/** A template of the chart or a subchart, with the data it runs on. */
interface Renderable {
  readonly file: ChartFile;
  readonly data: GoObject;
  readonly basePath: string;
}

export interface RenderedFiles {
  /** Output by template name. */
  readonly texts: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, ChartFile>;
}

/** Runs every template of the chart and its subcharts, partials only where they are called. */
export function renderTemplates(chart: ActiveChart, values: GoObject, world: TemplateContext): RenderedFiles {
  const renderables = new Map<string, Renderable>();
  const shared = {
    Release: releaseObject(world.release),
    Capabilities: capabilitiesOf(world.kubeVersion, world.apiVersions),
  };
  collect(chart, values, shared, renderables);
  const names = [...renderables.keys()].sort((a, b) => byDepth(b, a));
  const pathOf = (name: string): string | undefined => renderables.get(name)?.file.path;
  const set = parse(names, renderables, world.functions, pathOf);
  const budget = new Budget();
  const texts = new Map<string, string>();
  for (const name of names) {
    const renderable = renderables.get(name);
    if (renderable === undefined || name.slice(name.lastIndexOf('/') + 1).startsWith('_')) continue;
    setEntry(renderable.data, 'Template', asValues({ Name: name, BasePath: renderable.basePath }));
    texts.set(
      name,
      guarded(name, pathOf, () =>
        withoutNoValue(set.execute(name, asValues(renderable.data), { budget, host: world.host })),
      ),
    );
  }
  return { texts, files: new Map([...renderables].map(([name, { file }]) => [name, file])) };
}

function parse(
  names: readonly string[],
  renderables: ReadonlyMap<string, Renderable>,
  functions: GoFunctions,
  pathOf: (name: string) => string | undefined,
): TemplateSet {
  const sources = names.map((name) => ({ name, text: templateText(renderables.get(name)?.file) }));
  return guarded(names[0] ?? '', pathOf, () => TemplateSet.parse(sources, functions));
}

const texts = new WeakMap<Uint8Array, string>();

export function templateText(file: ChartFile | undefined): string {
  if (file === undefined) return '';
  const known = texts.get(file.bytes);
  if (known !== undefined) return known;
  const text = fromBytes(file.bytes);
  texts.set(file.bytes, text);
  return text;
}

function guarded<T>(name: string, pathOf: (name: string) => string | undefined, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof TemplateError) throw templateFault(error, name, pathOf);
    throw error;
  }
}

function releaseObject({ name, namespace, isUpgrade = false }: Release): GoObject {
  return {
    Name: name,
    Namespace: namespace,
    IsUpgrade: isUpgrade,
    IsInstall: !isUpgrade,
    Revision: 1n,
    Service: 'Helm',
  };
}

/** Gathers the templates of a chart after those of its subcharts, and gives the data they run on. */
function collect(chart: ActiveChart, values: GoObject, shared: GoObject, into: Map<string, Renderable>): GoObject {
  const subcharts: GoObject = {};
  const data: GoObject = {
    ...shared,
    Chart: chartObject(chart),
    Files: filesOf(chart.chart.files),
    Values: asValues(values),
    Subcharts: subcharts,
  };
  for (const dependency of chart.dependencies) {
    const below: GoValue | undefined = entryOf(values, dependency.name);
    setEntry(subcharts, dependency.name, collect(dependency, isTable(below) ? below : {}, shared, into));
  }
  const base = chart.fullPath;
  for (const file of chart.chart.templates) {
    if (chart.isLibrary && !file.name.slice(file.name.lastIndexOf('/') + 1).startsWith('_')) continue;
    into.set(`${base}/${file.name}`, { file, data, basePath: `${base}/templates` });
  }
  return data;
}

/** Deeper paths after others; Helm runs them the other way round. */
function byDepth(a: string, b: string): number {
  const depth = (path: string): number => path.split('/').length;
  return depth(a) - depth(b) || compareText(a, b);
}
