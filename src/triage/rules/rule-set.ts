import type { Node } from '../graph/index.js';
import { textAt } from '../json/index.js';
import type { RuleServices, Rule, RuleSet, RuleTable } from '../findings/index.js';
import { applicationRules } from './argo/applications.js';
import { applicationHygiene } from './argo/application-hygiene.js';
import { settingsRules } from './argo/settings.js';
import { reportedDegraded } from './argo/reported-degraded.js';
import { ghostRule } from './ghosts.js';
import { anyKindRule } from './operators/any-kind.js';
import { ROLLOUT_RULES } from './workloads/rollouts.js';
import { JOB_RULES } from './workloads/jobs.js';
import { AUTOSCALER_RULES } from './workloads/autoscalers.js';
import { POD_RULES } from './pods/pod-rules.js';
import { NODE_RULES } from './nodes/nodes.js';
import { CLAIM_RULES } from './storage/claims.js';
import { VOLUME_RULES } from './storage/volumes.js';
import { SERVICE_RULES } from './network/services.js';
import { ADDRESS_RULES } from './network/addresses.js';
import { INGRESS_RULES } from './network/ingresses.js';
import { GATEWAY_FILE_RULES } from './network/gateway-files.js';
import { GATEWAY_RULES } from './network/gateways.js';
import { WEBHOOK_RULES } from './network/webhooks.js';
import { DNS_RULES } from './network/dns.js';
import { EXTERNAL_SECRET_RULES } from './secrets/external-secrets.js';
import { SECRET_STORE_RULES } from './secrets/secret-stores.js';
import { SEALED_SECRET_RULES } from './secrets/sealed-secrets.js';
import { CERTIFICATE_RULES } from './secrets/certificates.js';
import { CRD_RULES } from './operators/crds.js';
import { OLM_RULES } from './operators/olm.js';
import { DATABASE_RULES } from './operators/databases.js';
import { OUTSIDE_RULES } from './operators/outside.js';
import { APPLICATION_SET_RULES } from './argo/application-sets.js';
import { INSTALLED_TWICE_RULES } from './argo/installed-twice.js';
import { INFERENCE_SERVICE_RULES } from './models/inference-services.js';
import { OUTDATED_MODEL_RULES } from './models/outdated-models.js';
import { NOTEBOOK_RULES } from './models/notebooks.js';
import { BUILD_RULES } from './builds/builds.js';
import { IMAGE_RULES } from './builds/image-streams.js';
import { alerted } from './metrics/alerts.js';
import { NODE_MEASURE_RULES } from './metrics/node-measures.js';
import { POD_MEASURE_RULES } from './metrics/pod-measures.js';
import { REQUEST_RULES } from './metrics/requests.js';
import { missedServer } from './network/missed-server.js';
import { QUOTA_RULES } from './quotas.js';
import { NAMESPACE_RULES, stuckApplicationDeletion, stuckDeletion } from './stuck-deletion.js';

/**
 * The rules of every kind, a table for each subject; rules of one kind run in this order. A new rule goes into the
 * table of its own file.
 */
const TABLES: readonly RuleTable[] = [
  ROLLOUT_RULES,
  JOB_RULES,
  AUTOSCALER_RULES,
  POD_RULES,
  NODE_RULES,
  NAMESPACE_RULES,
  QUOTA_RULES,
  CLAIM_RULES,
  VOLUME_RULES,
  SERVICE_RULES,
  ADDRESS_RULES,
  INGRESS_RULES,
  GATEWAY_RULES,
  WEBHOOK_RULES,
  EXTERNAL_SECRET_RULES,
  SECRET_STORE_RULES,
  SEALED_SECRET_RULES,
  CERTIFICATE_RULES,
  CRD_RULES,
  OLM_RULES,
  OUTSIDE_RULES,
  APPLICATION_SET_RULES,
  INSTALLED_TWICE_RULES,
  INFERENCE_SERVICE_RULES,
  OUTDATED_MODEL_RULES,
  NOTEBOOK_RULES,
  BUILD_RULES,
  IMAGE_RULES,
  NODE_MEASURE_RULES,
  POD_MEASURE_RULES,
  REQUEST_RULES,
];

/** Rules of kinds that are also checked like any other custom resource. */
const EXTRA_TABLES: readonly RuleTable[] = [DNS_RULES, DATABASE_RULES, GATEWAY_FILE_RULES];

/** What many depend on: cluster DNS, kube-proxy and Argo CD itself. */
function isClusterCritical({ key, object }: Node): boolean {
  const label = (name: string): string => textAt(object, 'metadata', 'labels', name);
  return (
    ['kube-dns', 'kube-proxy'].includes(label('k8s-app')) ||
    (key.namespace === 'kube-system' && /^(coredns|kube-dns|kube-proxy)$/.test(key.name)) ||
    label('app.kubernetes.io/part-of') === 'argocd'
  );
}

/** A workload that others depend on is infrastructure. */
function raiseImpact(rule: Rule): Rule {
  return (node, graph) =>
    rule(node, graph).map((finding) =>
      finding.impact === 'capacity' && isClusterCritical(graph.top(node))
        ? { ...finding, impact: 'infrastructure' }
        : finding,
    );
}

const WORKLOADS = new Set(['/Pod', 'apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', 'apps/ReplicaSet']);

/** Adds the rules of a table behind those that a kind already has. */
function register(byKind: Map<string, readonly Rule[]>, table: RuleTable): void {
  for (const [kind, rules] of Object.entries(table)) {
    const registered = WORKLOADS.has(kind) ? rules.map(raiseImpact) : rules;
    byKind.set(kind, [...(byKind.get(kind) ?? []), ...registered]);
  }
}

/** Every rule, with the health check for kinds that have none. */
export function createRuleSet({ assess, lint = () => [], blockingWindow }: RuleServices): RuleSet {
  const byKind = new Map<string, readonly Rule[]>();
  for (const table of TABLES) register(byKind, table);
  register(byKind, {
    'argoproj.io/Application': [applicationRules(blockingWindow), applicationHygiene, stuckApplicationDeletion],
  });
  const known = new Set(byKind.keys());
  register(byKind, {
    '/ConfigMap': [settingsRules(lint)],
    'argoproj.io/ArgoCD': [settingsRules(lint)],
  });
  for (const table of EXTRA_TABLES) register(byKind, table);
  return {
    byKind,
    forAll: [anyKindRule(assess, known), stuckDeletion],
    forGhosts: ghostRule,
    otherwise: (node, graph) => {
      const found = [reportedDegraded, alerted, missedServer].map((rule) => rule(node, graph));
      return found.find((each) => each.length > 0) ?? [];
    },
  };
}
