import { readOneYaml } from '../../../model/yaml/index.js';
import type { Json } from '../../../model/json/index.js';
import { during, invalid } from '../fault.js';
import { decodeWhole, struct, type Decoded } from '../kustomization/decode.js';
import { helmChartFields, helmGlobalFields } from '../kustomization/types.js';
import { join } from '../load/loader.js';
import { mergePatch } from '../merge/merge.js';
import { readResources } from '../resource/read-resources.js';
import { setAnnotation } from '../resource/metadata.js';
import { HELM_GENERATED } from '../resource/resource.js';
import type { GeneratorFactory, Helpers } from '../plugin/transformer.js';
import { readNode } from '../yaml/block-reader.js';
import { jsonNode, nodeJson } from '../yaml/node-json.js';
import { emptyNode } from '../yaml/node.js';
import type { ChartRequest, RenderChart } from '../plugin/render-chart.js';

const type = struct('HelmChartInflationGeneratorPlugin', { ...helmGlobalFields, ...helmChartFields });
type Args = Decoded<typeof type>;
const MERGES = ['merge', 'override', 'replace'] as const;

/** Inflates a chart, through the function that the caller of the build gave. */
export const helmChartGenerator: GeneratorFactory = (config, helpers) => {
  const { renderChart } = helpers;
  if (renderChart === undefined) throw invalid('must specify --enable-helm');
  const args = decodeWhole(type, config, false);
  if (args.name === '') throw invalid('chart name cannot be empty');
  if (mergeMode(args) === undefined) throw invalid(`valuesMerge must be one of [${MERGES.join(' ')}]`);
  const request = chartRequest(args, helpers);
  return { generate: () => generate(renderChart, request, helpers) };
};

function mergeMode({ valuesMerge }: Args): (typeof MERGES)[number] | undefined {
  return valuesMerge === '' ? 'override' : MERGES.find((mode) => mode === valuesMerge);
}

function generate(
  renderChart: RenderChart,
  request: ChartRequest,
  { openApi, loader }: Helpers,
): ReturnType<typeof readResources> {
  const file = request.chart.kind === 'folder' ? request.chart.path : loader.pathOf('kustomization.yaml');
  const resources = readResources(renderChart(request), openApi, { file, line: 1 });
  for (const { node } of resources) setAnnotation(node, HELM_GENERATED, 'true');
  return resources;
}

function chartRequest(args: Args, helpers: Helpers): ChartRequest {
  const { loader } = helpers;
  if (args.chartHome.startsWith('/'))
    throw invalid(`security; file '${args.chartHome}' is not in or below '${loader.formatPath(loader.root)}'`);
  const home = args.chartHome === '' ? 'charts' : args.chartHome;
  const folder =
    args.version !== '' && args.repo !== ''
      ? `${home}/${args.name}-${args.version}/${args.name}`
      : `${home}/${args.name}`;
  const isHere = loader.isFolder(folder);
  if (!isHere && args.repo === '')
    throw invalid(`no repo specified for pull, no chart found at '${join(loader.root, folder)}'`);
  const additionalValues = args.additionalValuesFiles.map((path) =>
    during('could not load additionalValuesFile', () => ({ file: loader.pathOf(path), text: loader.text(path) })),
  );
  return {
    chart: isHere
      ? { kind: 'folder', reader: loader.reader, path: join(loader.root, folder) }
      : { kind: 'remote', repository: args.repo, name: args.name, version: args.version },
    values: chartValues(args, isHere ? `${folder}/values.yaml` : undefined, helpers),
    additionalValues,
    releaseName: args.releaseName,
    namespace: args.namespace,
    includeCrds: args.includeCRDs,
    skipHooks: args.skipHooks,
    skipTests: args.skipTests,
    apiVersions: args.apiVersions,
    kubeVersion: args.kubeVersion,
    nameTemplate: args.nameTemplate,
  };
}

/** The values given to the chart: a file, or those of the kustomization merged with it. */
function chartValues(args: Args, own: string | undefined, helpers: Helpers): ChartRequest['values'] {
  const mode = mergeMode(args) ?? 'override';
  const path = args.valuesFile === '' ? own : args.valuesFile;
  if (Object.keys(args.valuesInline).length === 0)
    return path === undefined ? undefined : { text: helpers.loader.text(path) };
  if (mode === 'replace' || path === undefined) return { inline: args.valuesInline, merge: mode };
  return { inline: mergeValues(helpers.loader.text(path), args.valuesInline, mode, helpers), merge: 'replace' };
}

function mergeValues(text: string, inline: Json, mode: 'merge' | 'override', { openApi }: Helpers): Json {
  const file = during('could not parse values file into rnode', () => readNode(text) ?? emptyNode('map'));
  const own = jsonNode(inline);
  const options = { openApi, newElements: 'last' } as const;
  const merged = mode === 'override' ? mergePatch(file, own, options) : mergePatch(own, file, options);
  return merged === undefined ? readOneYaml('{}', { dialect: 'kyaml' }) : nodeJson(merged);
}
