import { applyMergePatch } from '../model/patch/index.js';
import { Fault } from '../model/faults/index.js';
import { isObject, type JsonObject } from '../model/json/index.js';
import {
  parseApplicationSource,
  type ApplicationSource,
  type HelmSettings,
  type JsonnetVariable,
} from '../model/argo/index.js';
import { readOneYaml } from '../model/yaml/index.js';
import {
  BuildEnvironment,
  environmentValues,
  isKustomization,
  renderKustomization,
  renderPlugin,
  type RenderOutcome,
  type RenderRequest,
  type SourceType,
  readValueFiles,
} from './application-source/index.js';
import { renderDirectory, type DirectoryOptions } from './directory/index.js';
import {
  renderChart,
  type RenderChartOutcome,
  type RenderChartRequest,
  type SetValue,
  textOf,
  loadChart,
  type ChartInput,
  type ValuesDocument,
  type ValueOrigin,
  ChartValues,
  explainFailure,
} from './helm/index.js';
import { checkMetadata, NeedsContent, type ReadSet, TreeReader } from './common/index.js';

/** What a render depended on: a later request of which all of this is the same gives the same. */
export interface Dependencies {
  readonly files: ReadSet;
  readonly refs: ReadonlyMap<string, ReadSet>;
  readonly environment: ReadonlyMap<string, string>;
}

export interface RenderResult {
  readonly outcome: RenderOutcome;
  readonly dependencies: Dependencies;
}

/** The manifests of one source, as Argo CD would make them, or what has to be fetched before. */
export function renderSource(request: RenderRequest): RenderResult {
  const context = contextOf(request);
  const outcome = orNeeds(() => render(context));
  if (outcome.kind === 'rendered') outcome.manifests.forEach(checkMetadata);
  return {
    outcome,
    dependencies: {
      files: context.reader.readSet,
      refs: new Map([...context.refs].map(([name, reader]) => [name, reader.readSet])),
      environment: context.environment.used,
    },
  };
}

function contextOf(request: RenderRequest): Context {
  return {
    request,
    reader: new TreeReader(request.tree),
    refs: new Map([...request.refs].map(([name, tree]) => [name, new TreeReader(tree)])),
    environment: new BuildEnvironment(environmentValues(request)),
  };
}

export type TracedSource =
  | { readonly kind: 'traced'; readonly values: readonly ValueOrigin[] }
  | Extract<RenderOutcome, { kind: 'needs' }>;

/** The values that the templates of a source see, each with who set it; none where it is no chart. */
export function traceSource(request: RenderRequest): TracedSource {
  const context = contextOf(request);
  return orNeeds((): TracedSource => {
    const { source, folder } = openFolder(context);
    return {
      kind: 'traced',
      values:
        typeOf(context, source, folder) === 'Helm' ? new ChartValues(chartInput(context, source, folder)).origins : [],
    };
  });
}

/** What can be set in a source, for people who are about to. */
export interface DescribedSource {
  readonly kind: 'described';
  readonly type: SourceType;
  /** Of a chart: its values as one file, files that look like more of them, and every value by its path. */
  readonly helm?: {
    readonly valueFiles: readonly string[];
    readonly values: string;
    readonly parameters: readonly ValueOrigin[];
  };
}

export function describeSource(request: RenderRequest): DescribedSource | Extract<RenderOutcome, { kind: 'needs' }> {
  const context = contextOf(request);
  return orNeeds((): DescribedSource => {
    const { source, folder } = openFolder(context);
    const type = typeOf(context, source, folder);
    if (type !== 'Helm') return { kind: 'described', type };
    const input = chartInput(context, source, folder);
    const { valuesFile, files } = loadChart(input);
    const valueFiles = [...(valuesFile === undefined ? [] : [valuesFile]), ...files]
      .map(({ name }) => name)
      .filter((name) => /\.ya?ml$/.test(name) && name.slice(name.lastIndexOf('/') + 1).includes('values'));
    return {
      kind: 'described',
      type,
      helm: {
        valueFiles,
        values: valuesFile === undefined ? '' : textOf(valuesFile),
        parameters: new ChartValues(input).origins,
      },
    };
  });
}

export interface Context {
  readonly request: RenderRequest;
  readonly reader: TreeReader;
  readonly refs: ReadonlyMap<string, TreeReader>;
  readonly environment: BuildEnvironment;
}

function orNeeds<Outcome>(run: () => Outcome): Outcome | Extract<RenderOutcome, { kind: 'needs' }> {
  try {
    return run();
  } catch (error) {
    if (error instanceof NeedsContent) return { kind: 'needs', needs: error.needs };
    throw error;
  }
}

function openFolder(context: Context): { readonly source: ApplicationSource; readonly folder: string } {
  const { request, reader } = context;
  const folder = trimSlashes(typeof request.source.path === 'string' ? request.source.path : '');
  if (request.chart === undefined && reader.kind(folder) !== 'folder') {
    throw new Fault(
      'RENDER_PATH_MISSING',
      `${folder}: app path ${reader.exists(folder) ? 'is not a directory' : 'does not exist'}`,
      { where: `${request.tree.repository} at ${request.tree.commit.slice(0, 12)}` },
    );
  }
  return { source: parseApplicationSource(withFilesOfTheTree(context, folder), 'spec.source'), folder };
}

function render(context: Context): RenderOutcome {
  const { reader } = context;
  const { source, folder } = openFolder(context);
  switch (typeOf(context, source, folder)) {
    case 'Helm':
      return renderHelm(context, source, folder);
    case 'Kustomize':
      return renderKustomization({ ...context, settings: source.kustomize, folder });
    case 'Directory':
      return {
        kind: 'rendered',
        type: 'Directory',
        manifests: renderDirectory(reader, folder, directoryOptions(context, source)),
        warnings: [],
      };
    case 'Plugin':
      return renderPlugin({ ...context, plugin: source.plugin ?? {}, folder });
  }
}

function directoryOptions({ request, environment }: Context, { directory }: ApplicationSource): DirectoryOptions {
  if (directory === undefined) return { fetched: request.fetched };
  const filled = (variables: readonly JsonnetVariable[]): JsonnetVariable[] =>
    variables.map((variable) => ({ ...variable, value: environment.expand(variable.value) }));
  const { extVars, tlas, libs } = directory.jsonnet;
  return { ...directory, jsonnet: { extVars: filled(extVars), tlas: filled(tlas), libs }, fetched: request.fetched };
}

function trimSlashes(path: string): string {
  return path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/');
}

/** Fields that the files of a tree may not change: they say where the tree is. */
const FIXED = ['repoURL', 'path', 'targetRevision', 'chart', 'ref', 'name'];

/** `.argocd-source.yaml` and `.argocd-source-<application>.yaml` in the folder say more about how to render it. */
function withFilesOfTheTree({ request, reader }: Context, folder: string): JsonObject {
  let source = request.source;
  for (const name of request.chart === undefined
    ? ['.argocd-source.yaml', `.argocd-source-${request.application.name}.yaml`]
    : []) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (reader.kind(path) !== 'file') continue;
    const patch = readOneYaml(reader.text(path), { dialect: 'kubernetes', file: path });
    if (patch === null) continue;
    if (!isObject(patch))
      throw new Fault('VALUE_INVALID', 'the file must hold an object with helm, kustomize, directory or plugin', {
        where: path,
      });
    const merged = applyMergePatch(
      source,
      Object.fromEntries(Object.entries(patch).filter(([field]) => !FIXED.includes(field))),
    );
    source = isObject(merged) ? merged : source;
  }
  return source;
}

function typeOf(context: Context, source: ApplicationSource, folder: string): SourceType {
  const type = requestedType(context, source, folder);
  return context.request.disabled?.includes(type) === true ? 'Directory' : type;
}

function requestedType({ request, reader }: Context, source: ApplicationSource, folder: string): SourceType {
  if (request.chart !== undefined || source.helm !== undefined) return 'Helm';
  if (source.kustomize !== undefined) return 'Kustomize';
  if (source.directory !== undefined) return 'Directory';
  if (source.plugin !== undefined) return 'Plugin';
  if (reader.kind(folder === '' ? 'Chart.yaml' : `${folder}/Chart.yaml`) === 'file') return 'Helm';
  return isKustomization(reader, folder) ? 'Kustomize' : 'Directory';
}

const NO_HELM: HelmSettings = {
  valueFiles: [],
  parameters: [],
  fileParameters: [],
  releaseName: '',
  values: '',
  passCredentials: false,
  ignoreMissingValueFiles: false,
  skipCrds: false,
  skipTests: false,
  skipSchemaValidation: false,
  namespace: '',
  kubeVersion: '',
  apiVersions: [],
};

function renderHelm(context: Context, source: ApplicationSource, folder: string): RenderOutcome {
  const { request, environment } = context;
  const helm = source.helm ?? NO_HELM;
  const outcome = explained({
    ...chartInput(context, source, folder),
    release: {
      name: environment.expand(helm.releaseName) || request.application.name,
      namespace: environment.expand(helm.namespace) || request.destinationNamespace,
    },
    kubeVersion: helm.kubeVersion === '' ? request.kubeVersion : helm.kubeVersion,
    apiVersions: helm.apiVersions.length === 0 ? request.apiVersions : helm.apiVersions,
    includeCrds: !helm.skipCrds,
    skipTests: helm.skipTests,
    skipSchemaValidation: helm.skipSchemaValidation,
    context: request.host,
  });
  if (outcome.kind === 'needs') return outcome;
  // Nobody who delivers objects reads the text again, and it would double what a result weighs.
  return {
    kind: 'rendered',
    type: 'Helm',
    manifests: outcome.manifests.map(({ object, origin }) => ({ object, origin })),
    warnings: outcome.warnings,
  };
}

/** The chart of a source, and everything that sets its values. */
function chartInput(context: Context, source: ApplicationSource, folder: string): ChartInput {
  const { request, reader, environment } = context;
  const helm = source.helm ?? NO_HELM;
  return {
    source:
      request.chart === undefined
        ? { kind: 'folder', reader, path: folder }
        : { kind: 'archive', ...request.chart, path: source.chart },
    values: helmValues(context, helm, folder),
    sets: helmSets(helm, (text) => environment.expand(text)),
    readFile: (path) => reader.text(path.startsWith('/') ? path.slice(1) : `${folder}/${path}`),
    charts: request.fetched,
  };
}

/** A template that fails at a missing value says where it looked for it. */
function explained(request: RenderChartRequest): RenderChartOutcome {
  try {
    return renderChart(request);
  } catch (error) {
    throw explainFailure(error, request);
  }
}

function helmValues(
  { request, reader, refs, environment }: Context,
  helm: HelmSettings,
  folder: string,
): ValuesDocument[] {
  const files = readValueFiles(helm.valueFiles, {
    reader,
    folder,
    refs,
    environment,
    ignoreMissing: helm.ignoreMissingValueFiles,
    fetched: request.fetched,
  });
  return [...files, ...inlineValues(helm)];
}

function inlineValues({ valuesObject, values }: HelmSettings): ValuesDocument[] {
  if (valuesObject !== undefined) return [{ name: 'spec.source.helm.valuesObject', object: valuesObject }];
  return values === '' ? [] : [{ name: 'spec.source.helm.values', text: values }];
}

/** Parameters become `--set`; a comma in a value is text there, unless the value is a list in braces. */
function helmSets(helm: HelmSettings, expand: (text: string) => string): SetValue[] {
  const clean = (value: string): string =>
    value.startsWith('{') && value.endsWith('}') ? value : value.replace(/([^\\]),/g, '$1\\,');
  return [
    ...helm.parameters.map(({ name, value, forceString }) => ({
      kind: forceString ? ('set-string' as const) : ('set' as const),
      text: `${name}=${clean(expand(value))}`,
    })),
    ...helm.fileParameters.map(({ name, path }) => ({ kind: 'set-file' as const, text: `${name}=${expand(path)}` })),
  ];
}
