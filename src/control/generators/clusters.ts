import { compareText } from '../../model/go/index.js';
import { labelSelectorOf, matchesLabels } from '../../model/kubernetes/index.js';
import { type ClusterFacts, withoutLastApplied } from '../../model/argo/index.js';
import { type JsonObject, objectAt, own, put } from '../../model/json/index.js';
import { normalizeName } from '../../render/index.js';
import type { TemplateFiller } from './template-filler.js';
import type { Params } from './params.js';
import { withValues } from './values.js';

/** The cluster of the control plane, where no Secret describes it. */
export const THIS_CLUSTER: ClusterFacts = {
  name: 'in-cluster',
  server: 'https://kubernetes.default.svc',
  project: '',
  labels: {},
  annotations: {},
};

/**
 * One for each cluster Secret that the selector fits; the cluster of the control plane comes last, where nothing is
 * asked of labels and no Secret describes it.
 */
export function clusterParams(
  generator: JsonObject,
  clusters: readonly ClusterFacts[],
  filling: TemplateFiller,
): Params[] {
  const asked = objectAt(generator, 'selector') ?? {};
  const selector = labelSelectorOf(asked);
  // As Argo CD has it, of two Secrets with one name the last one counts.
  const named = new Map(
    clusters.filter(({ labels }) => matchesLabels(selector, labels)).map((cluster) => [cluster.name, cluster]),
  );
  const found = [...named.values()].sort((a, b) => compareText(a.name, b.name));
  const isHere = selector.requirements.length === 0 && !found.some(({ server }) => server === THIS_CLUSTER.server);
  const params = [...found.map((cluster) => paramsOf(cluster, filling.isGo)), ...(isHere ? [localParams()] : [])].map(
    (each) => withValues(generator, each, filling),
  );
  return own(generator, 'flatList') === true ? [{ clusters: params }] : params;
}

function localParams(): Params {
  return { name: THIS_CLUSTER.name, nameNormalized: THIS_CLUSTER.name, server: THIS_CLUSTER.server, project: '' };
}

function paramsOf({ name, server, project, labels, annotations: all }: ClusterFacts, isGo: boolean): Params {
  const annotations = withoutLastApplied(all);
  const params: Params = { name, nameNormalized: normalizeName(name), server, project };
  if (isGo) {
    const some = (texts: Readonly<Record<string, string>>): boolean => Object.keys(texts).length > 0;
    return {
      ...params,
      metadata: {
        ...(some(annotations) ? { annotations: { ...annotations } } : {}),
        ...(some(labels) ? { labels: { ...labels } } : {}),
      },
    };
  }
  for (const [key, value] of Object.entries(annotations)) put(params, `metadata.annotations.${key}`, value);
  for (const [key, value] of Object.entries(labels)) put(params, `metadata.labels.${key}`, value);
  return params;
}
