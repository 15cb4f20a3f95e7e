import { readOneYaml, writeJson, writeYaml, type KubeObject } from '../../model/index.js';
import type { Manifest } from '../manifest.js';
import { NeedsContent, type Need } from '../needs.js';
import type { TreeReader } from '../tree-reader.js';
import { invalid } from './fault.js';
import { fullSpec } from './config/transformer-config.js';
import type { RenderChart } from './generators/render-chart.js';
import { Loader, type RemoteBases } from './load/loader.js';
import { clearTransformations, setOrigin } from './resource/origin.js';
import { ResMap } from './resource/res-map.js';
import { annotationOf, checkMetadata } from './resource/metadata.js';
import { OpenApi } from './schema/open-api.js';
import { accumulate } from './target/accumulate.js';
import type { Accumulator } from './target/accumulator.js';
import { readPlace, type BuildContext, type Place } from './target/build-context.js';
import { fixNameReferences } from './target/name-references.js';
import { resolveVars } from './target/vars.js';
import { setEntries } from './transformers/annotations.js';
import { hashTransformer } from './transformers/hash.js';
import { sortResources } from './transformers/sort-order.js';
import { nodeJson } from './yaml/node-json.js';
import { overrideKustomization, type KustomizeOverrides } from './overrides.js';

/** The version whose output this is. */
const VERSION = 'kustomize-v5.8.1';

export interface KustomizeRequest {
  readonly reader: TreeReader;
  /** The folder of the kustomization, in the tree. */
  readonly path: string;
  /** What an Application changes in the kustomization. */
  readonly overrides?: KustomizeOverrides;
  /** Renders the charts of `helmCharts`; without it they are refused. */
  readonly renderChart?: RenderChart;
  /** What has been fetched from elsewhere, by the address as it is written. */
  readonly remoteBases?: RemoteBases;
}

export type KustomizeOutcome =
  | { readonly kind: 'built'; readonly text: string; readonly manifests: readonly Manifest[] }
  | { readonly kind: 'needs'; readonly needs: readonly Need[] };

/** What `kustomize build` prints, with where each object came from; or what has to be fetched first. */
export function buildKustomization(request: KustomizeRequest): KustomizeOutcome {
  try {
    return { kind: 'built', ...built(request) };
  } catch (error) {
    if (error instanceof NeedsContent) return { kind: 'needs', needs: error.needs };
    throw error;
  }
}

function built(request: KustomizeRequest): { text: string; manifests: readonly Manifest[] } {
  const loader = Loader.open(request.reader, request.path, request.remoteBases ?? new Map());
  const { overrides } = request;
  const first = readPlace(loader, { origin: undefined, chartNamespace: '' }, overrides === undefined ? undefined : (raw) => overrideKustomization(raw, overrides, loader));
  const { openapi, buildMetadata } = first.kustomization;
  const place: Place = { ...first, origin: buildMetadata.length > 0 ? {} : undefined };
  const context: BuildContext = { openApi: new OpenApi(), renderChart: request.renderChart, buildMetadata };
  const document = openapi.get('path');
  context.openApi.use(openapi, document === undefined ? undefined : loader.text(document), true);
  const resources = finish(accumulate(place, context), place);
  const manifests = resources.resources.map(({ node, source }): Manifest => {
    const object = nodeJson(node) as KubeObject;
    return { object, origin: source, text: printed(object) };
  });
  return { text: manifests.map(({ text }) => text).join('---\n'), manifests };
}

const FORBIDDEN = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** The object as YAML. Kustomize makes it of JSON text, in which some characters stand that no YAML text may hold. */
function printed(object: KubeObject): string {
  const text = writeYaml(object);
  if (!text.includes('\\x') && !text.includes('\\u') && !text.includes('\\N')) return text;
  const json = writeJson(object);
  if (FORBIDDEN.test(json)) throw invalid('yaml: control characters are not allowed');
  // The character "next line" is a line break to YAML, and folds to a space.
  return json.includes('\x85') ? writeYaml(readOneYaml(json, { dialect: 'kubernetes' })) : text;
}

/** What is done once, when everything has been gathered: hashes, references to names, vars, order, and taking notes away. */
function finish(gathered: Accumulator, { kustomization, loader }: Place): ResMap {
  const { resources } = gathered;
  hashTransformer(null, { loader, openApi: new OpenApi(), renderChart: undefined }).transform(resources);
  fixNameReferences(resources, gathered.config.nameReference);
  resolveVars(resources, gathered.vars, gathered.config.varReference);
  dropLocal(resources);
  sortResources(resources, kustomization.sortOptions ?? { order: 'legacy', legacySortOptions: undefined });
  const { buildMetadata } = kustomization;
  for (const resource of resources.resources) {
    if (buildMetadata.includes('managedByLabel')) {
      setEntries(resource.node, new Map([['app.kubernetes.io/managed-by', VERSION]]), [fullSpec({ path: 'metadata/labels', create: true })]);
    }
    resource.removeBuildAnnotations();
    if (!buildMetadata.includes('originAnnotations')) setOrigin(resource, undefined);
    if (!buildMetadata.includes('transformerAnnotations')) clearTransformations(resource);
  }
  return resources;
}

/** Objects that are only there for the build itself. */
function dropLocal(resources: ResMap): void {
  const kept = resources.resources.filter((resource) => {
    if (resource.isEmpty()) return false;
    checkMetadata(resource.node);
    const local = annotationOf(resource.node, 'config.kubernetes.io/local-config');
    return local === undefined || local === 'false';
  });
  // Names may have come to be the same only now.
  resources.replaceAll([]);
  resources.appendAll(kept);
}
