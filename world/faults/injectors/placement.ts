import type { JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import type { Injection, Injector } from '../injection/injector.js';
import type { Root } from '../injection/label.js';
import { ENVIRONMENT, NAMESPACE, NODE, SERVICES } from '../injection/names.js';
import { app, deploymentRef, podRef } from '../injection/object-refs.js';
import type { Scene } from '../injection/scene.js';
import { addObject, inNamespace, unschedulable, wrongDeployment, wrongObject } from './shapes.js';

const TEMPLATE = 'spec.template.spec';
const node = { apiVersion: 'v1', kind: 'Node', name: NODE };

/** A service whose new template fits nowhere. */
function fitsNowhere(
  scene: Scene,
  pod: JsonObject,
  root: { readonly field: string; readonly value: Root['value'] },
  words: string,
): Injection {
  const name = scene.service();
  const file = scene.plain(name, 'deployment', { spec: { template: { spec: pod } } });
  return wrongDeployment(
    name,
    { ...root, file },
    { shows: unschedulable(words) },
    { event: { reason: 'FailedScheduling', words } },
  );
}

/** The node takes no new pods; the pods of a service are made anew. */
function nodeTakesNone(scene: Scene, root: Omit<Root, 'object'>, words: string): Injection {
  const name = scene.service();
  scene.play(15);
  scene.remove(podRef(`${name}-*`));
  return {
    roots: [{ object: node, ...root }],
    applications: [app(name)],
    signs: [{ object: podRef(`${name}-*`), shows: unschedulable(words) }],
  };
}

/** The ReplicaSet asks again and again for a pod that is refused. */
function refused(name: string, root: Root, words: string): Injection {
  return {
    roots: [root],
    applications: [app(name)],
    signs: [
      {
        object: { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: NAMESPACE, name: `${name}-*` },
        event: { reason: 'FailedCreate', words },
      },
    ],
  };
}

const says = (type: string, status: string, reason: string, message: string): JsonObject => ({
  type,
  status,
  reason,
  message,
  lastHeartbeatTime: '2025-12-05T11:00:00Z',
  lastTransitionTime: '2025-12-05T11:00:00Z',
});
/** What a kubelet says whose disk is nearly full. */
const SHORT_OF_DISK: JsonObject = {
  status: {
    conditions: [
      says('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
      says('DiskPressure', 'True', 'KubeletHasDiskPressure', 'kubelet has disk pressure'),
      says('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
      says('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
    ],
  },
};

/** Pods that no node takes, and nodes that take none. */
export const PLACEMENT_FAULTS: readonly Injector[] = [
  {
    name: 'taint-that-somebody-put-on-the-node',
    because: 'the only node of the pool was tainted for maintenance',
    isBroad: true,
    inject(scene) {
      scene.patch(node, {
        spec: {
          taints: [
            { key: 'ameide.io/environment', value: ENVIRONMENT.name, effect: 'NoSchedule' },
            { key: 'maintenance', value: 'kernel', effect: 'NoSchedule' },
          ],
        },
      });
      return nodeTakesNone(scene, { field: 'spec.taints[1].key', value: 'maintenance' }, 'untolerated taint');
    },
  },
  {
    name: 'node-that-holds-no-more-pods',
    because: 'the node may hold fewer pods than there are',
    isBroad: true,
    inject(scene) {
      scene.patch(node, { status: { capacity: { pods: '12' }, allocatable: { pods: '12' } } }, 'status');
      return nodeTakesNone(scene, { field: 'status.allocatable.pods', value: '12' }, 'Too many pods');
    },
  },
  {
    name: 'host-port-that-is-taken',
    because: 'two services want the same port of one node',
    isBroad: true,
    inject(scene) {
      const [one = '', other = ''] = scene.pickSome(SERVICES, 2);
      const ports = [{ name: 'http', containerPort: 8080, hostPort: 30080 }];
      scene.container(one, 'deployment', { ports });
      scene.play(60);
      const file = scene.container(other, 'deployment', { ports });
      return wrongDeployment(
        other,
        { field: `${TEMPLATE}.containers[0].ports[0].hostPort`, value: 30080, also: [deploymentRef(one)], file },
        { shows: unschedulable("didn't have free ports for the requested pod ports") },
      );
    },
  },
  {
    name: 'affinity-to-a-pod-that-is-not-there',
    because: 'a pod wants to be beside pods that nobody has',
    inject: (scene) =>
      fitsNowhere(
        scene,
        {
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { cache: 'near' } } },
              ],
            },
          },
        },
        {
          field:
            `${TEMPLATE}.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].` +
            'labelSelector.matchLabels.cache',
          value: 'near',
        },
        "didn't match pod affinity rules",
      ),
  },
  {
    name: 'node-affinity-that-no-node-has',
    because: 'a pod wants a kind of node that the cluster does not have',
    inject: (scene) =>
      fitsNowhere(
        scene,
        {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  { matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }] },
                ],
              },
            },
          },
        },
        {
          field:
            `${TEMPLATE}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.` +
            'nodeSelectorTerms[0].matchExpressions[0].values[0]',
          value: 'arm64',
        },
        "didn't match Pod's node affinity/selector",
      ),
  },
  {
    name: 'disk-request-that-no-node-has',
    because: 'a container asks for more scratch space than a node has',
    inject(scene) {
      const name = scene.service();
      const file = scene.container(name, 'deployment', { resources: { requests: { 'ephemeral-storage': '4Ti' } } });
      return wrongDeployment(
        name,
        { field: `${TEMPLATE}.containers[0].resources.requests["ephemeral-storage"]`, value: '4Ti', file },
        { shows: unschedulable('Insufficient ephemeral-storage') },
      );
    },
  },
  {
    name: 'quota-that-wants-limits',
    because: 'the quota of the namespace counts limits, and a container has none',
    isBroad: true,
    inject(scene) {
      const name = scene.service();
      const object = scene.apply({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: inNamespace('processor-limits'),
        spec: { hard: { 'limits.cpu': '64' }, scopes: ['NotTerminating'] },
      });
      scene.play(20);
      const file = scene.container(name, 'deployment', { image: `registry.example.com/ameide/${name}:2.5.0` });
      return refused(
        name,
        {
          object: deploymentRef(name),
          field: `${TEMPLATE}.containers[0].resources.limits`,
          value: null,
          also: [object],
          file,
        },
        'must specify limits.cpu',
      );
    },
  },
  {
    name: 'runtime-class-that-nobody-made',
    because: 'a workload names a RuntimeClass that does not exist',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'deployment', { spec: { template: { spec: { runtimeClassName: 'sandboxed' } } } });
      return refused(
        name,
        {
          object: deploymentRef(name),
          field: `${TEMPLATE}.runtimeClassName`,
          value: 'sandboxed',
          also: [{ apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', name: 'sandboxed' }],
          file,
        },
        'sandboxed',
      );
    },
  },
  {
    name: 'host-network-that-is-forbidden',
    because: 'the namespace forbids what a template asks of the host',
    inject(scene) {
      const name = scene.service();
      scene.patch(
        { apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE },
        { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } } },
      );
      const file = scene.plain(name, 'deployment', {
        spec: { template: { spec: { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' } } },
      });
      return refused(
        name,
        {
          object: deploymentRef(name),
          field: `${TEMPLATE}.hostNetwork`,
          value: true,
          also: [{ apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE }],
          file,
        },
        'violates PodSecurity',
      );
    },
  },
  {
    name: 'node-short-of-disk',
    because: 'the disk of the only node of the pool is nearly full, so it takes no more pods',
    isBroad: true,
    inject(scene) {
      scene.patch(node, SHORT_OF_DISK, 'status');
      return nodeTakesNone(scene, { field: 'status.conditions[1].status', value: 'True' }, 'untolerated taint');
    },
  },
  {
    name: 'autoscaler-without-requests',
    because: 'an autoscaler counts in parts of a request that the container does not make',
    inject(scene) {
      const name = scene.service();
      const file = scene.container(name, 'deployment', { resources: { requests: { cpu: null } } });
      const object: KubeObject = {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: inNamespace(name),
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
          minReplicas: 1,
          maxReplicas: 3,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
          ],
        },
      };
      addObject(scene, name, 'autoscaler', object);
      const {
        roots: [root],
        ...injection
      } = wrongObject(
        name,
        object,
        { field: 'spec.metrics[0].resource.name', value: 'cpu' },
        {
          shows: {
            status: { conditions: [{ type: 'ScalingActive', status: 'False', reason: 'FailedGetResourceMetric' }] },
          },
        },
      );
      return {
        ...injection,
        roots: [
          {
            object: deploymentRef(name),
            field: `${TEMPLATE}.containers[0].resources.requests.cpu`,
            value: null,
            also: root === undefined ? [] : [root.object],
            file,
          },
        ],
      };
    },
  },
];
