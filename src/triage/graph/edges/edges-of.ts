import { isObject, objectAt } from '../../../model/json/index.js';
import { entryOf, textAt } from '../../json/index.js';
import type { EdgesOf, Graph } from '../graph.js';
import type { Edge, Node } from '../node.js';
import { applicationEdges, applicationSetEdges, bindingEdges, genericEdges } from './argo.js';
import { EdgeList } from './edge-list.js';
import {
  buildConfigEdges,
  buildEdges,
  imageEdges,
  imageStreamEdges,
  inferenceServiceEdges,
  KSERVE,
  MLOPS,
  notebookEdges,
} from './machine-learning.js';
import {
  apiServiceEdges,
  gatewayEdges,
  httpRouteEdges,
  ingressEdges,
  istioEdges,
  routeEdges,
  serviceEdges,
  webhookEdges,
} from './network.js';
import {
  certificateEdges,
  controllerEdges,
  ESO,
  externalSecretEdges,
  issuerEdges,
  sealedSecretEdges,
  secretEdges,
  secretStoreEdges,
} from './secrets.js';
import { attachmentEdges, claimEdges, storageClassEdges, volumeEdges } from './storage.js';
import { autoscalerEdges, budgetEdges, podEdges, TEMPLATES, workloadEdges } from './workload.js';

/** Which fields of which kind need what. Kinds that are not here are read by the rules that all operators share. */
const KINDS: Readonly<Record<string, EdgesOf>> = {
  ...Object.fromEntries(Object.keys(TEMPLATES).map((kind) => [kind, workloadEdges])),
  '/Pod': podEdges,
  '/Secret': secretEdges,
  '/Service': serviceEdges,
  '/PersistentVolumeClaim': claimEdges,
  '/PersistentVolume': volumeEdges,
  'storage.k8s.io/StorageClass': storageClassEdges,
  'storage.k8s.io/VolumeAttachment': attachmentEdges,
  'autoscaling/HorizontalPodAutoscaler': autoscalerEdges,
  'keda.sh/ScaledObject': autoscalerEdges,
  'policy/PodDisruptionBudget': budgetEdges,
  'networking.k8s.io/Ingress': ingressEdges,
  'gateway.networking.k8s.io/HTTPRoute': httpRouteEdges,
  'gateway.networking.k8s.io/GRPCRoute': httpRouteEdges,
  'gateway.networking.k8s.io/TLSRoute': httpRouteEdges,
  'gateway.networking.k8s.io/Gateway': gatewayEdges,
  'networking.istio.io/Gateway': istioEdges,
  'networking.istio.io/VirtualService': istioEdges,
  'route.openshift.io/Route': routeEdges,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhookEdges,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhookEdges,
  'apiregistration.k8s.io/APIService': apiServiceEdges,
  'rbac.authorization.k8s.io/RoleBinding': bindingEdges,
  'rbac.authorization.k8s.io/ClusterRoleBinding': bindingEdges,
  [`${ESO}/ExternalSecret`]: externalSecretEdges,
  [`${ESO}/SecretStore`]: secretStoreEdges,
  [`${ESO}/ClusterSecretStore`]: secretStoreEdges,
  'bitnami.com/SealedSecret': sealedSecretEdges,
  'cert-manager.io/Certificate': certificateEdges,
  'cert-manager.io/CertificateRequest': certificateEdges,
  'cert-manager.io/Issuer': issuerEdges,
  'cert-manager.io/ClusterIssuer': issuerEdges,
  'argoproj.io/Application': applicationEdges,
  'argoproj.io/ApplicationSet': applicationSetEdges,
  [`${KSERVE}/InferenceService`]: inferenceServiceEdges,
  [`${MLOPS}/NotebookValidationJob`]: notebookEdges,
  'build.openshift.io/Build': buildEdges,
  'build.openshift.io/BuildConfig': buildConfigEdges,
  'image.openshift.io/ImageStream': imageStreamEdges,
  '/Image': imageEdges,
};

/** Kinds that hold data or rights and need nothing. */
const PLAIN = new Set([
  '/ConfigMap',
  '/ServiceAccount',
  '/Namespace',
  '/Node',
  '/Endpoints',
  '/ResourceQuota',
  '/LimitRange',
  'rbac.authorization.k8s.io/Role',
  'rbac.authorization.k8s.io/ClusterRole',
  'discovery.k8s.io/EndpointSlice',
  'apiextensions.k8s.io/CustomResourceDefinition',
  'coordination.k8s.io/Lease',
  'apps/ControllerRevision',
]);

export function edgesOf(node: Node, graph: Graph): Edge[] {
  const id = `${node.key.group}/${node.key.kind}`;
  const special = entryOf(KINDS, id);
  if (special !== undefined) return special(node, graph);
  if (PLAIN.has(id) || node.object === undefined) return [];
  return [...genericEdges(node, graph), ...operatorEdges(node, graph)];
}

/** What operators find by label, and the cluster that a backup or pool belongs to. */
function operatorEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  controllerEdges(list, graph, node.key.group);
  if (node.key.group !== 'postgresql.cnpg.io') return list.edges;
  const cluster = textAt(node.object, 'spec', 'cluster', 'name');
  if (node.key.kind !== 'Cluster')
    list.refer({
      group: node.key.group,
      kind: 'Cluster',
      name: cluster,
      field: 'spec.cluster.name',
      phases: ['ready', 'reconcile'],
      type: 'data',
    });
  const storage = objectAt(node.object, 'spec', 'storage');
  if (isObject(storage))
    list.referCluster({
      group: 'storage.k8s.io',
      kind: 'StorageClass',
      name: textAt(storage, 'storageClass'),
      field: 'spec.storage.storageClass',
      phases: ['attach'],
    });
  return list.edges;
}
