import { textAt, textsAt } from '../../json/index.js';
import { objectAt, objectsAt } from '../../../model/json/index.js';
import type { Graph } from '../graph.js';
import type { Edge, Node, Phase } from '../node.js';
import { EdgeList } from './edge-list.js';
import { podSpecEdges } from './pod-spec.js';
import { controllerEdges } from './secrets.js';

const READY: readonly Phase[] = ['ready', 'reconcile', 'serve'];
export const KSERVE = 'serving.kserve.io';
export const MLOPS = 'mlops.mlops.dev';

/** A model server: its pods, its runtime, the claim or Secret with its model. */
export function inferenceServiceEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  list.children(READY);
  const { namespace, name } = node.key;
  for (const part of ['predictor', 'transformer', 'explainer']) {
    const spec = objectAt(node.object, 'spec', part);
    if (spec === undefined) continue;
    podSpecEdges(list, graph, node, spec, `spec.${part}`);
    const deployment = graph.store.get({ group: 'apps', kind: 'Deployment', namespace, name: `${name}-${part}` });
    if (deployment !== undefined)
      list.add(deployment, { field: 'metadata.name', type: 'owner', phases: READY, grade: 'C' });
  }
  for (const pod of graph.store.inNamespace('', 'Pod', namespace)) {
    if (textAt(pod.object, 'metadata', 'labels', 'serving.kserve.io/inferenceservice') === name)
      list.add(pod, { field: 'Pod.metadata.labels', type: 'owner', phases: READY });
  }
  const model = objectAt(node.object, 'spec', 'predictor', 'model');
  list.refer({
    group: KSERVE,
    kind: runtimeKind(node, graph),
    name: textAt(model, 'runtime'),
    ...(runtimeKind(node, graph) === 'ClusterServingRuntime' ? { namespace: '' } : {}),
    field: 'spec.predictor.model.runtime',
    phases: ['admit', 'ready', 'reconcile'],
  });
  for (const { uri, field } of storageUris(node)) {
    const claim = /^pvc:\/\/([^/]+)/.exec(uri)?.[1];
    if (claim !== undefined)
      list.refer({ kind: 'PersistentVolumeClaim', name: claim, field, phases: ['init', 'ready'], type: 'data' });
  }
  controllerEdges(list, graph, KSERVE);
  return list.edges;
}

function runtimeKind(node: Node, graph: Graph): string {
  const name = textAt(node.object, 'spec', 'predictor', 'model', 'runtime');
  return name !== '' &&
    graph.store.get({ group: KSERVE, kind: 'ServingRuntime', namespace: node.key.namespace, name }) === undefined &&
    graph.store.ofKind(KSERVE, 'ClusterServingRuntime').length > 0
    ? 'ClusterServingRuntime'
    : 'ServingRuntime';
}

/** Where models are read from. */
export function storageUris(node: Node): { readonly uri: string; readonly field: string }[] {
  const predictor = objectAt(node.object, 'spec', 'predictor') ?? {};
  const legacy = Object.keys(predictor).map((key) => ({
    uri: textAt(predictor, key, 'storageUri'),
    field: `spec.predictor.${key}.storageUri`,
  }));
  const several = objectsAt(predictor, 'storageUris').map((item, index) => ({
    uri: textAt(item, 'uri'),
    field: `spec.predictor.storageUris[${index}].uri`,
  }));
  return [...legacy, ...several].filter(({ uri }) => uri !== '');
}

/** A notebook job: its pod, its image, its repository's Secret, the models it queries. */
export function notebookEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  list.children(READY);
  const { object } = node;
  podSpecEdges(list, graph, node, objectAt(object, 'spec', 'podConfig'), 'spec.podConfig');
  list.refer({
    kind: 'Pod',
    name: textAt(object, 'status', 'validationPodName'),
    field: 'status.validationPodName',
    phases: READY,
    type: 'owner',
    optional: true,
  });
  for (const path of [
    ['spec', 'notebook', 'git'],
    ['spec', 'goldenNotebook', 'git'],
  ]) {
    list.refer({
      kind: 'Secret',
      name: textAt(object, ...path, 'credentialsSecret'),
      field: `${path.join('.')}.credentialsSecret`,
      phases: ['init', 'ready', 'reconcile'],
    });
  }
  textsAt(object, 'spec', 'podConfig', 'credentials').forEach((name, index) =>
    list.refer({ kind: 'Secret', name, field: `spec.podConfig.credentials[${index}]`, phases: ['configure', 'ready'] }),
  );
  objectsAt(object, 'spec', 'modelValidation', 'targetModels').forEach((model, index) =>
    list.refer({
      group: KSERVE,
      kind: 'InferenceService',
      name: textAt(model, 'name'),
      ...(textAt(model, 'namespace') === '' ? {} : { namespace: textAt(model, 'namespace') }),
      field: `spec.modelValidation.targetModels[${index}]`,
      phases: ['ready', 'run'],
      type: 'data',
    }),
  );
  const build = textAt(object, 'status', 'buildStatus', 'buildName');
  if (build !== '')
    list.refer({
      group: 'build.openshift.io',
      kind: 'Build',
      name: build,
      field: 'status.buildStatus.buildName',
      phases: READY,
      type: 'owner',
      optional: true,
    });
  controllerEdges(list, graph, MLOPS);
  return list.edges;
}

/** OpenShift's builds: source credentials, base images, the target registry. */
export function buildEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  list.children(READY);
  const spec = objectAt(node.object, 'spec');
  list.refer({
    kind: 'Secret',
    name: textAt(spec, 'source', 'sourceSecret', 'name'),
    field: 'spec.source.sourceSecret.name',
    phases: ['run', 'ready'],
  });
  list.refer({
    kind: 'Secret',
    name: textAt(spec, 'output', 'pushSecret', 'name'),
    field: 'spec.output.pushSecret.name',
    phases: ['run', 'ready', 'create'],
  });
  for (const strategy of ['dockerStrategy', 'sourceStrategy', 'customStrategy'])
    streamEdge(
      list,
      node,
      `spec.strategy.${strategy}.from`,
      textAt(spec, 'strategy', strategy, 'from', 'kind'),
      textAt(spec, 'strategy', strategy, 'from', 'name'),
      textAt(spec, 'strategy', strategy, 'from', 'namespace'),
    );
  list.refer({
    group: 'build.openshift.io',
    kind: 'BuildConfig',
    name: textAt(node.object, 'metadata', 'annotations', 'openshift.io/build-config.name'),
    field: "metadata.annotations['openshift.io/build-config.name']",
    phases: ['admit'],
  });
  const pod = graph.store.get({
    group: '',
    kind: 'Pod',
    namespace: node.key.namespace,
    name: `${node.key.name}-build`,
  });
  if (pod !== undefined) list.add(pod, { field: 'metadata.name', type: 'owner', phases: READY, grade: 'C' });
  return list.edges;
}

function streamEdge(list: EdgeList, node: Node, field: string, kind: string, name: string, namespace: string): void {
  if (kind !== 'ImageStreamTag') return;
  list.refer({
    group: 'image.openshift.io',
    kind: 'ImageStream',
    name: name.split(':')[0] ?? '',
    namespace: namespace === '' ? node.key.namespace : namespace,
    field,
    phases: ['run', 'ready'],
    type: 'data',
  });
}

/** An image of the cluster's own registry needs the stream, and the stream the build that fills it. */
export function imageEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  const match = /^image-registry\.openshift-image-registry\.svc(?::\d+)?\/([^/]+)\/([^:@]+)/.exec(node.key.name);
  if (match === null) return [];
  const [, namespace = '', name = ''] = match;
  list.refer({
    group: 'image.openshift.io',
    kind: 'ImageStream',
    namespace,
    name,
    field: 'image',
    phases: ['pull'],
    type: 'data',
  });
  return list.edges;
}

export function imageStreamEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  for (const config of graph.store.inNamespace('build.openshift.io', 'BuildConfig', node.key.namespace)) {
    if (textAt(config.object, 'spec', 'output', 'to', 'name').split(':')[0] === node.key.name)
      list.add(config, { field: 'BuildConfig.spec.output.to', type: 'data', phases: ['pull', 'ready', 'reconcile'] });
  }
  return list.edges;
}

export function buildConfigEdges(node: Node, graph: Graph): Edge[] {
  const edges = buildEdges(node, graph);
  const list = new EdgeList(node, graph);
  for (const build of graph.store.inNamespace('build.openshift.io', 'Build', node.key.namespace)) {
    if (
      textAt(build.object, 'metadata', 'annotations', 'openshift.io/build-config.name') === node.key.name ||
      textAt(build.object, 'metadata', 'labels', 'openshift.io/build-config.name') === node.key.name
    )
      list.add(build, {
        field: "Build.metadata.annotations['openshift.io/build-config.name']",
        type: 'owner',
        phases: READY,
      });
  }
  return [...edges, ...list.edges];
}
