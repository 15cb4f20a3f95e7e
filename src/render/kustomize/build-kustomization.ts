import type { KubeObject } from '../../model/kubernetes/index.js';
import { type Manifest, NeedsContent, type Need, type TreeReader } from '../common/index.js';
import { fullSpec } from './config/transformer-config.js';
import type { RenderChart } from './plugin/render-chart.js';
import { checkPrintable } from './kustomization-text.js';
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
  | { readonly kind: 'built'; readonly manifests: readonly Manifest[] }
  | { readonly kind: 'needs'; readonly needs: readonly Need[] };

/** The objects of `kustomize build`, with where each came from; or what has to be fetched first. */
export function buildKustomization(request: KustomizeRequest): KustomizeOutcome {
  try {
    return { kind: 'built', manifests: built(request) };
  } catch (error) {
    if (error instanceof NeedsContent) return { kind: 'needs', needs: error.needs };
    throw error;
  }
}

function built(request: KustomizeRequest): readonly Manifest[] {
  const loader = Loader.open(request.reader, request.path, request.remoteBases ?? new Map());
  const { overrides } = request;
  const first = readPlace(
    loader,
    { origin: undefined, chartNamespace: '' },
    overrides === undefined ? undefined : (raw) => overrideKustomization(raw, overrides, loader),
  );
  const { openapi, buildMetadata } = first.kustomization;
  const place: Place = { ...first, origin: buildMetadata.length > 0 ? {} : undefined };
  const context: BuildContext = { openApi: new OpenApi(), renderChart: request.renderChart, buildMetadata, entered: 0 };
  const document = openapi.get('path');
  context.openApi.use(openapi, document === undefined ? undefined : loader.text(document), true);
  const resources = finish(accumulate(place, context), place);
  return resources.resources.map(({ node, source }) => {
    const object = nodeJson(node) as KubeObject;
    checkPrintable(object);
    return { object, origin: source };
  });
}

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
      setEntries(resource.node, new Map([['app.kubernetes.io/managed-by', VERSION]]), [
        fullSpec({ path: 'metadata/labels', create: true }),
      ]);
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
