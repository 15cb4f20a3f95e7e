import type { Node } from '../graph/index.js';
import { textAt } from '../json/index.js';
import type { RuleServices, Rule, RuleSet } from '../findings/index.js';
import { applicationRules } from './argo/applications.js';
import { applicationHygiene } from './argo/application-hygiene.js';
import { applicationSetRules } from './argo/application-sets.js';
import { installedTwice } from './argo/installed-twice.js';
import { settingsRules } from './argo/settings.js';
import { reportedDegraded } from './argo/reported-degraded.js';
import { ghostRule } from './ghosts.js';
import { stuckApplicationDeletion, stuckDeletion, namespaceRules } from './stuck-deletion.js';
import { addressRules } from './network/addresses.js';
import { backedRules } from './network/webhooks.js';
import { gatewayRules, istioRules } from './network/gateways.js';
import { ingressRules, openShiftRouteRules } from './network/ingresses.js';
import { corefileRules } from './network/dns.js';
import { serviceRules } from './network/services.js';
import { backupRules } from './operators/databases.js';
import { planRules, subscriptionRules, versionRules } from './operators/olm.js';
import { claimRules } from './storage/claims.js';
import { nodeRules } from './nodes/nodes.js';
import { storageClassRules, volumeRules } from './storage/volumes.js';
import { anyKindRule } from './operators/any-kind.js';
import { buildConfigRules, imageStreamRules } from './builds/image-streams.js';
import { buildRules } from './builds/builds.js';
import { crdRules } from './operators/crds.js';
import { inferenceServiceRules } from './models/inference-services.js';
import { notebookRules } from './models/notebooks.js';
import { outsideRule } from './operators/outside.js';
import { olderThanItsModel } from './models/outdated-models.js';
import { podRules } from './pods/pod-rules.js';
import { acmeRules, certificateRules, issuerRules } from './secrets/certificates.js';
import { externalSecretRules } from './secrets/external-secrets.js';
import { sealedSecretRules } from './secrets/sealed-secrets.js';
import { secretStoreRules } from './secrets/secret-stores.js';
import { autoscalerRules } from './workloads/autoscalers.js';
import { cronJobRules, jobRules } from './workloads/jobs.js';
import { daemonSetRules, deploymentRules, replicaSetRules, statefulSetRules } from './workloads/rollouts.js';

const RULES: Readonly<Record<string, readonly Rule[]>> = {
  '/Pod': [podRules],
  '/Node': [nodeRules],
  '/Service': [serviceRules],
  '/Namespace': [namespaceRules],
  '/PersistentVolumeClaim': [claimRules],
  '/PersistentVolume': [volumeRules],
  'storage.k8s.io/StorageClass': [storageClassRules],
  'apps/Deployment': [deploymentRules, addressRules],
  'argoproj.io/Rollout': [deploymentRules, addressRules],
  'apps/ReplicaSet': [replicaSetRules],
  '/ReplicationController': [replicaSetRules],
  'apps/StatefulSet': [statefulSetRules, addressRules],
  'apps/DaemonSet': [daemonSetRules, addressRules],
  'batch/Job': [jobRules],
  'batch/CronJob': [cronJobRules],
  'autoscaling/HorizontalPodAutoscaler': [autoscalerRules],
  'networking.k8s.io/Ingress': [ingressRules],
  'route.openshift.io/Route': [openShiftRouteRules],
  'gateway.networking.k8s.io/Gateway': [gatewayRules],
  'gateway.networking.k8s.io/HTTPRoute': [gatewayRules],
  'gateway.networking.k8s.io/GRPCRoute': [gatewayRules],
  'networking.istio.io/VirtualService': [istioRules],
  'networking.istio.io/Gateway': [istioRules],
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': [backedRules],
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': [backedRules],
  'apiregistration.k8s.io/APIService': [backedRules],
  'apiextensions.k8s.io/CustomResourceDefinition': [crdRules, installedTwice],
  'external-secrets.io/ExternalSecret': [externalSecretRules],
  'external-secrets.io/SecretStore': [secretStoreRules],
  'external-secrets.io/ClusterSecretStore': [secretStoreRules],
  'bitnami.com/SealedSecret': [sealedSecretRules],
  'cert-manager.io/Certificate': [certificateRules],
  'cert-manager.io/CertificateRequest': [certificateRules],
  'cert-manager.io/Issuer': [issuerRules],
  'cert-manager.io/ClusterIssuer': [issuerRules],
  'acme.cert-manager.io/Order': [acmeRules],
  'acme.cert-manager.io/Challenge': [acmeRules],
  'argoproj.io/ApplicationSet': [applicationSetRules],
  'operators.coreos.com/Subscription': [subscriptionRules],
  'operators.coreos.com/InstallPlan': [planRules],
  'operators.coreos.com/ClusterServiceVersion': [versionRules],
  'serving.kserve.io/InferenceService': [inferenceServiceRules, olderThanItsModel],
  'mlops.mlops.dev/NotebookValidationJob': [notebookRules],
  'build.openshift.io/Build': [buildRules],
  'build.openshift.io/BuildConfig': [buildConfigRules],
  'image.openshift.io/ImageStream': [imageStreamRules],
  '/Component': [outsideRule],
  '/Operator': [outsideRule],
  '/Webhook': [outsideRule],
  '/Nodes': [outsideRule],
};

/** What many lean on: names of the cluster, its proxies, and Argo CD itself. */
function isClusterCritical({ key, object }: Node): boolean {
  const label = (name: string): string => textAt(object, 'metadata', 'labels', name);
  return (
    ['kube-dns', 'kube-proxy'].includes(label('k8s-app')) ||
    (key.namespace === 'kube-system' && /^(coredns|kube-dns|kube-proxy)$/.test(key.name)) ||
    label('app.kubernetes.io/part-of') === 'argocd'
  );
}

/** A workload that others lean on is more than a workload. */
function raiseImpact(rule: Rule): Rule {
  return (node, graph) =>
    rule(node, graph).map((finding) =>
      finding.impact === 'capacity' && isClusterCritical(graph.top(node))
        ? { ...finding, impact: 'infrastructure' }
        : finding,
    );
}

const WORKLOADS = new Set(['/Pod', 'apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', 'apps/ReplicaSet']);

/** Every rule, with the health check that stands in where a kind has none. */
export function createRuleSet({ assess, lint = () => [], blockingWindow }: RuleServices): RuleSet {
  const byKind = new Map(
    Object.entries(RULES).map(([kind, rules]) => [kind, WORKLOADS.has(kind) ? rules.map(raiseImpact) : rules]),
  );
  byKind.set('argoproj.io/Application', [
    applicationRules(blockingWindow),
    applicationHygiene,
    stuckApplicationDeletion,
  ]);
  const known = new Set(byKind.keys());
  // These are told beside what any operator's object shows.
  byKind.set('/ConfigMap', [settingsRules(lint), corefileRules]);
  byKind.set('argoproj.io/ArgoCD', [settingsRules(lint)]);
  byKind.set('postgresql.cnpg.io/Cluster', [backupRules]);
  return {
    byKind,
    forAll: [anyKindRule(assess, known), stuckDeletion],
    forGhosts: ghostRule,
    otherwise: reportedDegraded,
  };
}
