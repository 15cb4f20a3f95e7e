import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type JsonObject } from '../../model/json/index.js';
import type { BuildEnvironment } from './build-environment.js';
import { renderChart, type ChartSource, type ValuesDocument } from '../helm/index.js';
import { buildKustomization, type ChartRequest, type KustomizeOverrides } from '../kustomize/index.js';
import { needKey, NeedsContent, type Need, TreeReader } from '../common/index.js';
import type { RenderOutcome, RenderRequest } from './render-request.js';

const NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Whether a folder is one for Kustomize. */
export function isKustomization(reader: TreeReader, folder: string): boolean {
  return NAMES.some((name) => reader.kind(folder === '' ? name : `${folder}/${name}`) === 'file');
}

export interface KustomizeSource {
  readonly request: RenderRequest;
  readonly reader: TreeReader;
  readonly environment: BuildEnvironment;
  /** The `kustomize` block of the source. */
  readonly settings: JsonObject | undefined;
  readonly folder: string;
}

export function renderKustomization({
  request,
  reader,
  environment,
  settings,
  folder,
}: KustomizeSource): RenderOutcome {
  const outcome = buildKustomization({
    reader,
    path: folder,
    ...(settings === undefined ? {} : { overrides: readOverrides(settings, environment) }),
    renderChart: (chart) => renderInflatedChart(chart, request),
    ...(request.bases === undefined
      ? {}
      : {
          remoteBases: new Map(
            [...request.bases].map(([address, base]) => [
              address,
              base.kind === 'tree' ? { kind: 'tree', reader: new TreeReader(base.tree) } : base,
            ]),
          ),
        }),
  });
  if (outcome.kind === 'needs') return outcome;
  return { kind: 'rendered', type: 'Kustomize', manifests: outcome.manifests, warnings: [] };
}

/** What an Application may change; fields of the wrong type are told by name. */
function readOverrides(settings: JsonObject, environment: BuildEnvironment): KustomizeOverrides {
  const at = 'spec.source.kustomize';
  const text = (name: string): string => {
    const value = own(settings, name) ?? '';
    if (typeof value !== 'string')
      throw new Fault('VALUE_INVALID', `${at}.${name} must be text`, { where: `${at}.${name}` });
    return value;
  };
  const list = (name: string): readonly unknown[] => {
    const value = own(settings, name) ?? [];
    if (!isArray(value)) throw new Fault('VALUE_INVALID', `${at}.${name} must be a list`, { where: `${at}.${name}` });
    return value;
  };
  const pairs = (name: string, fill: (value: string) => string): Record<string, string> => {
    const value = own(settings, name) ?? {};
    if (!isObject(value))
      throw new Fault('VALUE_INVALID', `${at}.${name} must be an object`, { where: `${at}.${name}` });
    return Object.fromEntries(Object.keys(value).map((key) => [key, fill(String(own(value, key) ?? ''))]));
  };
  return {
    namePrefix: text('namePrefix'),
    nameSuffix: text('nameSuffix'),
    namespace: text('namespace'),
    images: list('images').map(String),
    replicas: list('replicas')
      .filter(isObject)
      .map(({ name, count }) => ({ name: String(name ?? ''), count: Number(count ?? 0) })),
    commonLabels: pairs('commonLabels', (value) => value),
    commonAnnotations: pairs(
      'commonAnnotations',
      settings.commonAnnotationsEnvsubst === true ? (value) => environment.expand(value) : (value) => value,
    ),
    forceCommonLabels: settings.forceCommonLabels === true,
    forceCommonAnnotations: settings.forceCommonAnnotations === true,
    labelWithoutSelector: settings.labelWithoutSelector === true,
    labelIncludeTemplates: settings.labelIncludeTemplates === true,
    patches: list('patches').filter(isObject),
    components: list('components').map(String),
    ignoreMissingComponents: settings.ignoreMissingComponents === true,
  };
}

/** A chart that a kustomization names, through our own Helm. */
function renderInflatedChart(chart: ChartRequest, request: RenderRequest): string {
  const wanted = clusterOfSource(request);
  const outcome = renderChart({
    source: chartSource(chart, request),
    values: [...firstValues(chart), ...chart.additionalValues.map(({ file, text }) => ({ name: file, text }))],
    sets: [],
    charts: request.fetched,
    release: { name: chart.releaseName, namespace: chart.namespace },
    kubeVersion: chart.kubeVersion || wanted.kubeVersion || request.kubeVersion,
    apiVersions: [...chart.apiVersions, ...wanted.apiVersions],
    includeCrds: chart.includeCrds,
    skipHooks: chart.skipHooks,
    skipTests: chart.skipTests,
    context: request.host,
  });
  if (outcome.kind === 'needs') throw new NeedsContent(outcome.needs);
  return outcome.text;
}

/** Versions that the source's own settings name for the charts of its kustomization. */
function clusterOfSource({ source }: RenderRequest): {
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
} {
  const kustomize = own(source, 'kustomize');
  const { kubeVersion, apiVersions } = isObject(kustomize) ? kustomize : {};
  return {
    kubeVersion: typeof kubeVersion === 'string' ? kubeVersion : '',
    apiVersions: isArray(apiVersions) ? apiVersions.filter((each) => typeof each === 'string') : [],
  };
}

function firstValues({ values }: ChartRequest): ValuesDocument[] {
  if (values === undefined) return [];
  if ('text' in values) return [{ name: 'valuesFile', text: values.text }];
  return isObject(values.inline) ? [{ name: 'valuesInline', object: values.inline }] : [];
}

function chartSource({ chart }: ChartRequest, { fetched }: RenderRequest): ChartSource {
  if (chart.kind === 'folder') return chart;
  const need: Need = { kind: 'chart', repository: chart.repository, name: chart.name, version: chart.version };
  const bytes = fetched.get(needKey(need));
  if (bytes === undefined) throw new NeedsContent([need]);
  return { kind: 'archive', bytes, id: needKey(need), path: chart.name };
}
