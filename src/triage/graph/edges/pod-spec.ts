import { type Json, type JsonObject, objectAt, objectsAt, valueAt } from '../../../model/json/index.js';
import { textAt } from '../../json/index.js';
import type { Graph } from '../graph.js';
import type { Node, Phase } from '../node.js';
import type { EdgeList } from './edge-list.js';
import { hostSettings } from './host-settings.js';

/** In which phase a pod needs each reference; a template needs the same once it has pods. */
interface Use {
  readonly node: Node;
  readonly list: EdgeList;
  readonly graph: Graph;
  readonly namespace: string;
  readonly spec: JsonObject;
  readonly field: string;
}

/** Everything that a pod spec names. */
export function podSpecEdges(
  list: EdgeList,
  graph: Graph,
  node: Node,
  spec: JsonObject | undefined,
  field: string,
): void {
  if (spec === undefined) return;
  const use: Use = { node, list, graph, namespace: node.key.namespace, spec, field };
  for (const { container, path } of containersOf(spec, field)) containerEdges(use, container, path);
  objectsAt(spec, 'volumes').forEach((volume, index) => volumeEdges(use, volume, `${field}.volumes[${index}]`));
  objectsAt(spec, 'imagePullSecrets').forEach((secret, index) =>
    list.refer({
      kind: 'Secret',
      name: textAt(secret, 'name'),
      field: `${field}.imagePullSecrets[${index}].name`,
      phases: ['pull'],
    }),
  );
  accountEdges(use);
  list.referCluster({
    kind: 'Node',
    name: textAt(spec, 'nodeName'),
    field: `${field}.nodeName`,
    phases: ['run', 'ready', 'init', 'attach', 'pull', 'configure'],
    type: 'data',
  });
  list.referCluster({
    group: 'scheduling.k8s.io',
    kind: 'PriorityClass',
    name: systemClass(textAt(spec, 'priorityClassName')),
    field: `${field}.priorityClassName`,
    phases: ['create'],
  });
  list.referCluster({
    group: 'node.k8s.io',
    kind: 'RuntimeClass',
    name: textAt(spec, 'runtimeClassName'),
    field: `${field}.runtimeClassName`,
    phases: ['create', 'run'],
  });
  objectsAt(spec, 'resourceClaims').forEach((claim, index) =>
    list.refer({
      group: 'resource.k8s.io',
      kind: 'ResourceClaim',
      name: textAt(claim, 'resourceClaimName'),
      field: `${field}.resourceClaims[${index}].resourceClaimName`,
      phases: ['schedule'],
    }),
  );
}

/** Init containers first, as the kubelet runs them. */
export function containersOf(
  spec: Json | undefined,
  field: string,
): { readonly container: JsonObject; readonly path: string; readonly isInit: boolean }[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((name) =>
    objectsAt(spec, name).map((container, index) => ({
      container,
      path: `${field}.${name}[${index}]`,
      isInit: name === 'initContainers',
    })),
  );
}

/** The two system classes exist always. */
function systemClass(name: string): string {
  return name.startsWith('system-') ? '' : name;
}

function containerEdges({ node, list, graph, namespace }: Use, container: JsonObject, path: string): void {
  const image = textAt(container, 'image');
  if (image !== '')
    list.add(graph.store.virtual('Image', image), { field: `${path}.image`, type: 'data', phases: ['pull'] });
  objectsAt(container, 'env').forEach((variable, index) => {
    for (const [source, kind] of [
      ['secretKeyRef', 'Secret'],
      ['configMapKeyRef', 'ConfigMap'],
    ] as const) {
      const reference = objectAt(variable, 'valueFrom', source);
      if (reference === undefined) continue;
      list.refer({
        kind,
        name: textAt(reference, 'name'),
        field: `${path}.env[${index}].valueFrom.${source}.name`,
        phases: ['configure'],
        optional: valueAt(reference, 'optional') === true,
      });
    }
  });
  objectsAt(container, 'envFrom').forEach((source, index) => {
    for (const [name, kind] of [
      ['secretRef', 'Secret'],
      ['configMapRef', 'ConfigMap'],
    ] as const) {
      list.refer({
        kind,
        name: textAt(source, name, 'name'),
        field: `${path}.envFrom[${index}].${name}.name`,
        phases: ['configure'],
        optional: valueAt(source, name, 'optional') === true,
      });
    }
  });
  for (const host of hostSettings(container, path, node, graph)) {
    list.refer({
      kind: 'Service',
      name: host.service,
      namespace: host.namespace === '' ? namespace : host.namespace,
      field: host.reference,
      phases: ['run', 'ready', 'init'],
      type: 'data',
      grade: 'C',
    });
  }
}

function volumeEdges({ list }: Use, volume: JsonObject, field: string): void {
  const [secret, configMap, claim, csi] = ['secret', 'configMap', 'persistentVolumeClaim', 'csi'].map((name) =>
    objectAt(volume, name),
  );
  const mount: readonly Phase[] = ['attach'];
  if (secret !== undefined)
    list.refer({
      kind: 'Secret',
      name: textAt(secret, 'secretName'),
      field: `${field}.secret.secretName`,
      phases: mount,
      optional: valueAt(secret, 'optional') === true,
    });
  if (configMap !== undefined)
    list.refer({
      kind: 'ConfigMap',
      name: textAt(configMap, 'name'),
      field: `${field}.configMap.name`,
      phases: mount,
      optional: valueAt(configMap, 'optional') === true,
    });
  if (claim !== undefined)
    list.refer({
      kind: 'PersistentVolumeClaim',
      name: textAt(claim, 'claimName'),
      field: `${field}.persistentVolumeClaim.claimName`,
      phases: ['schedule', 'attach'],
      type: 'data',
    });
  if (csi !== undefined) {
    list.referCluster({
      group: 'storage.k8s.io',
      kind: 'CSIDriver',
      name: textAt(csi, 'driver'),
      field: `${field}.csi.driver`,
      phases: mount,
    });
    list.refer({
      kind: 'Secret',
      name: textAt(csi, 'nodePublishSecretRef', 'name'),
      field: `${field}.csi.nodePublishSecretRef.name`,
      phases: mount,
    });
  }
  objectsAt(volume, 'projected', 'sources').forEach((source, index) => {
    for (const [name, kind] of [
      ['secret', 'Secret'],
      ['configMap', 'ConfigMap'],
    ] as const) {
      list.refer({
        kind,
        name: textAt(source, name, 'name'),
        field: `${field}.projected.sources[${index}].${name}.name`,
        phases: mount,
        optional: valueAt(source, name, 'optional') === true,
      });
    }
  });
}

/** The account, and what it brings along: its pull secrets count as the pod's. */
function accountEdges({ list, graph, namespace, spec, field }: Use): void {
  const name = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (name === '' || name === 'default') return;
  list.refer({ kind: 'ServiceAccount', name, field: `${field}.serviceAccountName`, phases: ['create', 'run', 'init'] });
  const account = graph.store.get({ group: '', kind: 'ServiceAccount', namespace, name });
  for (const secret of objectsAt(account?.object, 'imagePullSecrets')) {
    list.refer({
      kind: 'Secret',
      name: textAt(secret, 'name'),
      field: `${field}.serviceAccountName`,
      phases: ['pull'],
    });
  }
}
