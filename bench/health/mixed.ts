import { createAssessor, readOverrides, type Assessor } from '../../src/health/index.js';
import { loadCatalogue } from '../../src/control/index.js';
import { seededRandom, type Random } from '../../src/apiserver/store/testing/random.js';
import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Answer, Request } from './line-process.js';
import type { Subject } from './subjects.js';

type MixedRequest = Extract<Request, { kind: 'mixed' }>;

/** Kinds that a cluster with applications holds, with what their status looks like. */
const KINDS: readonly (readonly [apiVersion: string, kind: string, status: (random: Random) => JsonObject])[] = [
  ['apps/v1', 'Deployment', workload],
  ['apps/v1', 'StatefulSet', workload],
  ['apps/v1', 'ReplicaSet', workload],
  ['apps/v1', 'DaemonSet', daemon],
  ['v1', 'Pod', pod],
  ['v1', 'Service', service],
  ['v1', 'PersistentVolumeClaim', (random) => ({ phase: random.pick(['Bound', 'Bound', 'Pending', 'Lost']) })],
  ['v1', 'ConfigMap', nothing],
  ['v1', 'Secret', nothing],
  ['v1', 'ServiceAccount', nothing],
  ['v1', 'Namespace', (random) => ({ phase: random.pick(['Active', 'Terminating']) })],
  ['batch/v1', 'Job', job],
  ['batch/v1', 'CronJob', nothing],
  ['networking.k8s.io/v1', 'Ingress', service],
  ['networking.k8s.io/v1', 'NetworkPolicy', nothing],
  ['rbac.authorization.k8s.io/v1', 'Role', nothing],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding', nothing],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', conditions('ScalingActive', 'AbleToScale')],
  ['policy/v1', 'PodDisruptionBudget', conditions('DisruptionAllowed')],
  ['apiregistration.k8s.io/v1', 'APIService', conditions('Available')],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', conditions('Established', 'NamesAccepted')],
  ['serving.kserve.io/v1beta1', 'InferenceService', conditions('Ready', 'PredictorReady', 'IngressReady')],
  ['argoproj.io/v1alpha1', 'Rollout', rollout],
  ['cert-manager.io/v1', 'Certificate', conditions('Ready', 'Issuing')],
  ['mlops.mlops.dev/v1alpha1', 'NotebookValidationJob', notebook],
  [
    'argoproj.io/v1alpha1',
    'Application',
    (random) => ({ health: { status: random.pick(['Healthy', 'Degraded', 'Progressing']) } }),
  ],
  ['external-secrets.io/v1', 'ExternalSecret', conditions('Ready')],
  ['serving.knative.dev/v1', 'Service', conditions('Ready', 'RoutesReady')],
  ['kafka.strimzi.io/v1beta2', 'Kafka', conditions('Ready')],
  ['operators.coreos.com/v1alpha1', 'Subscription', conditions('CatalogSourcesUnhealthy')],
  ['helm.toolkit.fluxcd.io/v2', 'HelmRelease', conditions('Ready', 'Released')],
  ['pkg.crossplane.io/v1', 'Provider', conditions('Installed', 'Healthy')],
];

const made = new Map<string, { readonly assessor: Assessor; readonly objects: readonly KubeObject[] }>();

/** Assesses so many objects of all these kinds, by the catalogue or, where there is a script, by that. */
export function assessMixed({ catalogue, count, byLua }: MixedRequest, subjects: readonly Subject[]): Answer {
  const key = `${count} ${byLua}`;
  const { assessor, objects } = made.get(key) ?? prepare(catalogue, count, byLua ? subjects : []);
  made.set(key, { assessor, objects });
  const begin = performance.now();
  let judged = 0;
  for (const object of objects) if (assessor.assess(object) !== undefined) judged++;
  const ms = performance.now() - begin;
  if (judged < count / 2) throw new Error(`only ${judged} of ${count} objects have a verdict`);
  return { ms };
}

function prepare(
  folder: string,
  count: number,
  subjects: readonly Subject[],
): { assessor: Assessor; objects: KubeObject[] } {
  const scripts = subjects.flatMap(({ name, script, openLibs }) => {
    const group = KINDS.find(([, kind]) => kind === name)?.[0].split('/')[0] ?? '';
    return [
      [`resource.customizations.health.${group}_${name}`, script],
      [`resource.customizations.useOpenLibs.${group}_${name}`, String(openLibs)],
    ] as const;
  });
  const overrides = readOverrides(Object.fromEntries(scripts));
  const assessor = createAssessor({
    catalogue: loadCatalogue(folder),
    overrides,
    now: Date.now,
    elapsed: () => performance.now(),
  });
  const random = seededRandom(1);
  return { assessor, objects: Array.from({ length: count }, (_, index) => object(random, index)) };
}

function object(random: Random, index: number): KubeObject {
  const [apiVersion, kind, status] = random.pick(KINDS);
  const name = `${kind.toLowerCase()}-${index}`;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: `team-${random.integer(20)}`,
      uid: `uid-${index}`,
      generation: 2,
      resourceVersion: String(index),
      labels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'shop' },
      annotations: { 'argocd.argoproj.io/tracking-id': `shop:${name}` },
    },
    spec: {
      replicas: 3,
      paused: random.chance(0.05),
      template: { spec: { containers: [{ name: 'main', image: 'registry.example.com/shop:1' }] } },
    },
    ...(random.chance(0.05) ? {} : { status: { observedGeneration: random.chance(0.9) ? 2 : 1, ...status(random) } }),
  };
}

function nothing(): JsonObject {
  return {};
}

function workload(random: Random): JsonObject {
  const ready = random.pick([3, 3, 3, 2, 0]);
  return {
    replicas: 3,
    readyReplicas: ready,
    updatedReplicas: random.pick([3, 3, 1]),
    availableReplicas: ready,
    currentReplicas: 3,
    ...conditions('Available', 'Progressing')(random),
  };
}

function daemon(random: Random): JsonObject {
  return {
    desiredNumberScheduled: 4,
    currentNumberScheduled: 4,
    updatedNumberScheduled: random.pick([4, 4, 2]),
    numberAvailable: random.pick([4, 4, 3]),
    numberReady: 4,
  };
}

function pod(random: Random): JsonObject {
  const waiting: JsonObject = {
    waiting: {
      reason: random.pick(['CrashLoopBackOff', 'ImagePullBackOff', 'ContainerCreating']),
      message: 'back-off 5m0s restarting',
    },
  };
  const isUp = random.chance(0.8);
  return {
    phase: isUp ? 'Running' : 'Pending',
    conditions: [{ type: 'Ready', status: isUp ? 'True' : 'False' }],
    containerStatuses: [
      {
        name: 'main',
        ready: isUp,
        restartCount: random.integer(4),
        state: isUp ? { running: { startedAt: '2026-01-02T03:04:05Z' } } : waiting,
      },
    ],
  };
}

function service(random: Random): JsonObject {
  return { loadBalancer: random.chance(0.5) ? { ingress: [{ ip: '192.0.2.1' }] } : {} };
}

function job(random: Random): JsonObject {
  return random.chance(0.7)
    ? { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] }
    : { failed: 1, conditions: [{ type: 'Failed', status: 'True', message: 'the job has reached its limit' }] };
}

function rollout(random: Random): JsonObject {
  return {
    observedGeneration: '2',
    phase: random.pick(['Healthy', 'Progressing', 'Paused', 'Degraded']),
    message: 'more replicas need to be updated',
    replicas: 3,
    updatedReplicas: 3,
    availableReplicas: 3,
  };
}

function notebook(random: Random): JsonObject {
  return {
    phase: random.pick(['Succeeded', 'Failed', 'Running', 'Initializing']),
    validationPodName: 'job-validation',
    message: 'the pod failed',
    results: [
      { cellIndex: 0, status: 'Success' },
      { cellIndex: 1, status: random.pick(['Success', 'Failure']), errorMessage: 'NameError' },
    ],
  };
}

/** Conditions of these types, mostly good. */
function conditions(...types: string[]): (random: Random) => JsonObject {
  return (random) => ({
    conditions: types.map((type) => ({
      type,
      status: random.pick(['True', 'True', 'True', 'False', 'Unknown']),
      reason: 'Reason',
      message: `${type} was looked at`,
      lastTransitionTime: '2026-01-02T03:04:05Z',
    })),
  });
}
