import { sourceFieldsOf } from '../../../model/argo/index.js';
import { splitApiVersion } from '../../../model/kubernetes/index.js';
import { type JsonObject, objectAt, objectsAt, valueAt } from '../../../model/json/index.js';
import { textAt } from '../../json/index.js';
import { publicValueOf } from '../../snapshot/index.js';
import { APPLICATION, type Graph } from '../graph.js';
import { listedKey } from '../listed-key.js';
import type { Edge, Node } from '../node.js';
import { EdgeList } from './edge-list.js';

/**
 * An application needs its project, its repositories with their credentials, its cluster, and everything it delivers.
 */
export function applicationEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  const { object } = node;
  list.refer({
    group: APPLICATION.group,
    kind: 'AppProject',
    name: textAt(object, 'spec', 'project') || 'default',
    field: 'spec.project',
    phases: ['compare', 'render'],
  });
  applicationSources(object).forEach(({ source, field }) => {
    const repoURL = textAt(source, 'repoURL');
    const revision = textAt(source, 'targetRevision') || 'HEAD';
    const place = `${repoURL}@${revision}:${textAt(source, 'path') || textAt(source, 'chart')}`;
    list.add(graph.store.virtual('Git', place), { field, type: 'config', phases: ['render', 'compare'] });
    const credential = repositorySecret(graph, repoURL);
    if (credential !== undefined)
      list.add(credential, { field: `${field}.repoURL`, type: 'config', phases: ['render', 'compare'] });
  });
  const cluster = clusterSecret(
    graph,
    textAt(object, 'spec', 'destination', 'server'),
    textAt(object, 'spec', 'destination', 'name'),
  );
  if (cluster !== undefined)
    list.add(cluster, { field: 'spec.destination', type: 'config', phases: ['compare', 'reconcile'] });
  resourceEdges(list, node);
  return list.edges;
}

/** The sources of an application, each with its field as reports write it: `spec.sources[0]`. */
export function applicationSources(
  application: JsonObject | undefined,
): { readonly source: JsonObject; readonly field: string }[] {
  return sourceFieldsOf(application).map(({ source, path }) => ({
    source,
    field: path
      .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`))
      .join(''),
  }));
}

function resourceEdges(list: EdgeList, node: Node): void {
  objectsAt(node.object, 'status', 'resources').forEach((resource, index) => {
    const key = listedKey(resource);
    if (key.kind === '' || key.name === '') return;
    // What a sync has not created, or a hook that is not running, is missing because of the sync and not the reverse.
    const isOfSync = valueAt(resource, 'hook') === true || textAt(resource, 'health', 'status') === 'Missing';
    if (isOfSync && list.isAbsent(key)) return;
    list.refer({ ...key, field: `status.resources[${index}]`, phases: ['ready', 'reconcile'], type: 'owner' });
  });
  // Hooks are not in status.resources; the operation names them.
  objectsAt(node.object, 'status', 'operationState', 'syncResult', 'resources').forEach((resource, index) => {
    if (textAt(resource, 'hookType') === '') return;
    const key = listedKey(resource);
    if (list.isAbsent(key)) return;
    list.refer({
      ...key,
      field: `status.operationState.syncResult.resources[${index}]`,
      phases: ['reconcile'],
      type: 'wave',
    });
  });
}

const SECRET_TYPE = 'argocd.argoproj.io/secret-type';

/** The credential whose address is the longest beginning of this one. */
export function repositorySecret(graph: Graph, repoURL: string): Node | undefined {
  const known = graph.once('repository secrets', () =>
    graph.store
      .ofKind('', 'Secret')
      .filter(({ object }) => /^(repository|repo-creds)$/.test(textAt(object, 'metadata', 'labels', SECRET_TYPE))),
  );
  const plain = (url: string): string =>
    url
      .replace(/\.git$/, '')
      .replace(/\/$/, '')
      .toLowerCase();
  let best: { readonly node: Node; readonly length: number } | undefined;
  for (const node of known) {
    const url = node.object === undefined ? '' : plain(publicValueOf(node.object, 'url'));
    if (url !== '' && plain(repoURL).startsWith(url) && url.length > (best?.length ?? 0))
      best = { node, length: url.length };
  }
  return best?.node;
}

function clusterSecret(graph: Graph, server: string, name: string): Node | undefined {
  return graph
    .once('cluster secrets', () =>
      graph.store
        .ofKind('', 'Secret')
        .filter(({ object }) => textAt(object, 'metadata', 'labels', SECRET_TYPE) === 'cluster'),
    )
    .find(
      ({ object }) =>
        object !== undefined &&
        ((server !== '' && publicValueOf(object, 'server') === server) ||
          (name !== '' && publicValueOf(object, 'name') === name)),
    );
}

export function applicationSetEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  list.children(['ready']);
  objectsAt(node.object, 'spec', 'generators').forEach((generator, index) => {
    for (const name of Object.keys(generator)) {
      const body = objectAt(generator, name);
      const token =
        objectAt(body, 'tokenRef') ?? objectAt(body, 'github', 'tokenRef') ?? objectAt(body, 'gitlab', 'tokenRef');
      list.refer({
        kind: 'Secret',
        name: textAt(token, 'secretName'),
        field: `spec.generators[${index}].${name}.tokenRef.secretName`,
        phases: ['reconcile'],
      });
      list.refer({
        kind: 'ConfigMap',
        name: textAt(body, 'configMapRef', 'name'),
        field: `spec.generators[${index}].${name}.configMapRef.name`,
        phases: ['reconcile'],
      });
      const repository = repositorySecret(graph, textAt(body, 'repoURL'));
      if (repository !== undefined)
        list.add(repository, {
          field: `spec.generators[${index}].${name}.repoURL`,
          type: 'config',
          phases: ['reconcile'],
        });
    }
  });
  return list.edges;
}

/** The role and subjects of a binding. */
export function bindingEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  const kind = textAt(node.object, 'roleRef', 'kind');
  list.refer({
    group: 'rbac.authorization.k8s.io',
    kind,
    name: textAt(node.object, 'roleRef', 'name'),
    ...(kind === 'ClusterRole' ? { namespace: '' } : {}),
    field: 'roleRef',
    phases: ['reconcile'],
  });
  return list.edges;
}

/**
 * A custom resource of any kind: what it made, what makes its kind, and the references that every operator spells
 * alike.
 */
export function genericEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  list.children(['ready', 'reconcile', 'serve']);
  for (const { kind, group, name, field } of plainReferences(objectAt(node.object, 'spec'), 'spec', 0))
    list.refer({ kind, group, name, field, phases: ['ready', 'reconcile', 'create'] });
  return list.edges;
}

interface PlainReference {
  readonly kind: string;
  readonly group: string;
  readonly name: string;
  readonly field: string;
}

/** `secretName`, `...SecretRef.name`, `configMapRef.name`, and `{apiVersion, kind, name}`: read at any depth. */
function plainReferences(value: JsonObject | undefined, path: string, depth: number): PlainReference[] {
  if (value === undefined || depth > 8) return [];
  return Object.keys(value).flatMap((key) => {
    const field = `${path}.${key}`;
    const text = textAt(value, key);
    if (text !== '')
      return key === 'secretName' || key === 'existingSecret' ? [{ kind: 'Secret', group: '', name: text, field }] : [];
    const object = objectAt(value, key);
    if (object !== undefined)
      return [...namedReference(key, object, field), ...plainReferences(object, field, depth + 1)];
    return objectsAt(value, key).flatMap((item, index) => plainReferences(item, `${field}[${index}]`, depth + 1));
  });
}

function namedReference(key: string, object: JsonObject, field: string): PlainReference[] {
  const name = textAt(object, 'name');
  if (name === '' || textAt(object, 'namespace') !== '') return [];
  const apiVersion = textAt(object, 'apiVersion');
  if (apiVersion !== '' && textAt(object, 'kind') !== '')
    return [{ kind: textAt(object, 'kind'), group: splitApiVersion(apiVersion).group, name, field }];
  if (/[sS]ecret(KeyRef|Ref)?$/.test(key)) return [{ kind: 'Secret', group: '', name, field: `${field}.name` }];
  if (/[cC]onfigMap(KeyRef|Ref)?$/.test(key)) return [{ kind: 'ConfigMap', group: '', name, field: `${field}.name` }];
  return [];
}
