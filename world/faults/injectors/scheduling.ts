import type { JsonObject } from '../../../src/model/json/index.js';
import type { Injection, Injector } from '../injection/injector.js';
import type { Root } from '../injection/label.js';
import { ENVIRONMENT, NAMESPACE, NODE, PLACEMENT } from '../injection/names.js';
import { app, claimRef, deploymentRef, podRef, statefulSetRef } from '../injection/object-refs.js';
import { chartService, type Scene } from '../injection/scene.js';

const unschedulable = (words: string): JsonObject => ({
  status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: `~${words}` }] },
});

/** A service whose new pod fits nowhere. */
function fitsNowhere(scene: Scene, pod: JsonObject, root: Omit<Root, 'object' | 'file'>, words: string): Injection {
  const name = scene.service();
  const file = scene.plain(name, 'deployment', { spec: { template: { spec: pod } } });
  return {
    roots: [{ object: deploymentRef(name), ...root, file }],
    applications: [app(name)],
    signs: [
      { object: podRef(`${name}-*`), shows: unschedulable(words) },
      { object: podRef(`${name}-*`), event: { reason: 'FailedScheduling', words } },
    ],
  };
}

/** Every ReplicaSet asks again for a pod that the server refuses. */
function refusedPod(name: string, root: Root, words: string): Injection {
  return {
    roots: [root],
    applications: [app(name)],
    signs: [
      {
        object: { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: NAMESPACE, name: `${name}-*` },
        event: { reason: 'FailedCreate', words },
      },
      {
        object: deploymentRef(name),
        shows: {
          status: { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] },
        },
      },
    ],
  };
}

const node = (name: string): { apiVersion: string; kind: string; name: string } => ({
  apiVersion: 'v1',
  kind: 'Node',
  name,
});

export const SCHEDULING: readonly Injector[] = [
  {
    name: 'toleration-that-is-missing',
    because: 'a workload does not tolerate the taint of the nodes it is for',
    inject: (scene) =>
      fitsNowhere(
        scene,
        { tolerations: null },
        { field: 'spec.template.spec.tolerations', value: null },
        'untolerated taint',
      ),
  },
  {
    name: 'empty-tolerations-in-shared-values',
    because: 'empty values hide where the environment runs, in several applications at once',
    inject(scene) {
      const services = scene
        .pickSome(['agents', 'graph', 'inference-gateway', 'threads', 'transformation'], 3)
        .map(chartService);
      for (const { valuesFile } of services) scene.edit(valuesFile, { tolerations: [], nodeSelector: {} });
      const [first] = services;
      if (first === undefined) throw new Error('no service was chosen');
      return {
        roots: [
          {
            object: deploymentRef(first.name),
            field: 'spec.template.spec.tolerations',
            value: null,
            also: services.map(({ name }) => deploymentRef(name)),
            file: first.valuesFile,
          },
        ],
        applications: services.map(({ application }) => application),
        signs: services.map(({ name }) => ({ object: podRef(`${name}-*`), shows: unschedulable('untolerated taint') })),
      };
    },
  },
  {
    name: 'pod-of-an-outdated-revision',
    because: 'a StatefulSet keeps a pod of a revision that fits nowhere, although its template was mended',
    inject(scene) {
      scene.pick(['purchases-db']);
      const file = scene.plain('purchases-db', 'set', { spec: { template: { spec: { tolerations: null } } } });
      scene.play(60);
      scene.remove(podRef('purchases-db-0'));
      scene.play(30);
      scene.plain('purchases-db', 'set', { spec: { template: { spec: { tolerations: PLACEMENT.tolerations } } } });
      return {
        roots: [
          {
            object: podRef('purchases-db-0'),
            field: 'metadata.labels["controller-revision-hash"]',
            value: null,
            also: [statefulSetRef('purchases-db')],
            file,
          },
        ],
        applications: [app('purchases-db')],
        signs: [
          { object: podRef('purchases-db-0'), shows: unschedulable('untolerated taint') },
          {
            object: statefulSetRef('purchases-db'),
            shows: { spec: { template: { spec: { tolerations: [{ key: 'ameide.io/environment' }] } } } },
          },
        ],
      };
    },
  },
  {
    name: 'node-selector-that-no-node-has',
    because: 'a workload asks for a label that no node has',
    inject: (scene) =>
      fitsNowhere(
        scene,
        { nodeSelector: { 'ameide.io/pool': `${ENVIRONMENT.pool}-large` } },
        { field: 'spec.template.spec.nodeSelector["ameide.io/pool"]', value: `${ENVIRONMENT.pool}-large` },
        "didn't match Pod's node affinity/selector",
      ),
  },
  {
    name: 'more-processor-than-any-node-has',
    because: 'a container asks for more processor time than a node has',
    inject(scene) {
      const name = scene.service();
      const file = scene.container(name, 'deployment', { resources: { requests: { cpu: '12' } } });
      return {
        roots: [
          {
            object: deploymentRef(name),
            field: 'spec.template.spec.containers[0].resources.requests.cpu',
            value: '12',
            file,
          },
        ],
        applications: [app(name)],
        signs: [{ object: podRef(`${name}-*`), shows: unschedulable('Insufficient cpu') }],
      };
    },
  },
  {
    name: 'memory-request-of-another-unit',
    because: 'a memory request was written in the wrong unit and fits on no node',
    inject(scene) {
      const service = scene.chartService();
      const file = scene.edit(service.valuesFile, { resources: { requests: { cpu: '20m', memory: '64Ti' } } });
      return {
        roots: [
          {
            object: deploymentRef(service.name),
            field: 'spec.template.spec.containers[0].resources.requests.memory',
            value: '64Ti',
            file,
          },
        ],
        applications: [service.application],
        signs: [{ object: podRef(`${service.name}-*`), shows: unschedulable('Insufficient memory') }],
      };
    },
  },
  {
    name: 'gpu-that-no-node-offers',
    because: 'a container asks for a GPU, and no node offers one',
    inject(scene) {
      const name = scene.service();
      const file = scene.container(name, 'deployment', { resources: { limits: { 'nvidia.com/gpu': '1' } } });
      return {
        roots: [
          {
            object: deploymentRef(name),
            field: 'spec.template.spec.containers[0].resources.limits["nvidia.com/gpu"]',
            value: '1',
            file,
          },
        ],
        applications: [app(name)],
        signs: [{ object: podRef(`${name}-*`), shows: unschedulable('Insufficient nvidia.com/gpu') }],
      };
    },
  },
  {
    name: 'replicas-that-may-not-share-a-node',
    because: 'two replicas may not run on one node, and the pool has one',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'deployment', {
        spec: {
          replicas: 2,
          template: {
            spec: {
              affinity: {
                podAntiAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: [
                    {
                      topologyKey: 'kubernetes.io/hostname',
                      labelSelector: { matchLabels: { 'app.kubernetes.io/name': name } },
                    },
                  ],
                },
              },
            },
          },
        },
      });
      return {
        roots: [
          { object: deploymentRef(name), field: 'spec.template.spec.affinity.podAntiAffinity', value: null, file },
        ],
        applications: [app(name)],
        signs: [{ object: podRef(`${name}-*`), shows: unschedulable('anti-affinity') }],
      };
    },
  },
  {
    name: 'spread-over-zones-that-are-not-there',
    because: 'pods are to be spread over zones, and nodes have no zone',
    inject: (scene) =>
      fitsNowhere(
        scene,
        {
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'topology.kubernetes.io/zone',
              whenUnsatisfiable: 'DoNotSchedule',
              labelSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'ameide' } },
            },
          ],
        },
        { field: 'spec.template.spec.topologySpreadConstraints[0].topologyKey', value: 'topology.kubernetes.io/zone' },
        'topology spread constraints',
      ),
  },
  {
    name: 'pod-that-waits-at-a-gate',
    because: 'a scheduling gate holds the pod, and nobody takes it away',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'deployment', {
        spec: { template: { spec: { schedulingGates: [{ name: 'quota.example.com/admitted' }] } } },
      });
      return {
        roots: [
          {
            object: deploymentRef(name),
            field: 'spec.template.spec.schedulingGates[0].name',
            value: 'quota.example.com/admitted',
            file,
          },
        ],
        applications: [app(name)],
        signs: [
          {
            object: podRef(`${name}-*`),
            shows: { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] } },
          },
        ],
      };
    },
  },
  {
    name: 'quota-that-is-used-up',
    because: 'the quota of the namespace allows no more pods',
    isBroad: true,
    inject(scene) {
      const service = scene.service();
      const object = scene.apply({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'most-memory', namespace: NAMESPACE },
        spec: { hard: { 'limits.memory': '1Gi' }, scopes: ['NotTerminating'] },
      });
      scene.play(20);
      const file = scene.container(service, 'deployment', {
        resources: { requests: { cpu: '20m', memory: '48Mi' }, limits: { memory: '2Gi' } },
      });
      return refusedPod(
        service,
        { object, field: 'spec.hard["limits.memory"]', value: '1Gi', also: [deploymentRef(service)], file },
        'exceeded quota',
      );
    },
  },
  {
    name: 'more-than-the-limit-range-allows',
    because: 'a container wants more memory than the LimitRange of its namespace allows',
    isBroad: true,
    inject(scene) {
      const service = scene.service();
      const object = scene.apply({
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'small-containers', namespace: NAMESPACE },
        spec: { limits: [{ type: 'Container', max: { memory: '1Gi' }, default: { memory: '256Mi' } }] },
      });
      const file = scene.container(service, 'deployment', {
        resources: { requests: { cpu: '20m', memory: '48Mi' }, limits: { memory: '3Gi' } },
      });
      return refusedPod(
        service,
        {
          object: deploymentRef(service),
          field: 'spec.template.spec.containers[0].resources.limits.memory',
          value: '3Gi',
          also: [object],
          file,
        },
        'maximum memory usage per Container is 1Gi',
      );
    },
  },
  {
    name: 'pod-security-that-refuses-root',
    because: 'the namespace enforces restricted pods, and the template asks for privileges',
    inject(scene) {
      const service = scene.service();
      scene.patch(
        { apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE },
        { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } } },
      );
      const file = scene.container(service, 'deployment', { securityContext: { privileged: true } });
      return refusedPod(
        service,
        {
          object: deploymentRef(service),
          field: 'spec.template.spec.containers[0].securityContext.privileged',
          value: true,
          also: [{ apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE }],
          file,
        },
        'violates PodSecurity',
      );
    },
  },
  {
    name: 'account-that-nobody-made',
    because: 'a workload names a ServiceAccount that does not exist',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'deployment', {
        spec: { template: { spec: { serviceAccountName: `${name}-runner` } } },
      });
      return refusedPod(
        name,
        {
          object: deploymentRef(name),
          field: 'spec.template.spec.serviceAccountName',
          value: `${name}-runner`,
          also: [{ apiVersion: 'v1', kind: 'ServiceAccount', namespace: NAMESPACE, name: `${name}-runner` }],
          file,
        },
        `serviceaccount "${name}-runner" not found`,
      );
    },
  },
  {
    name: 'priority-class-that-nobody-made',
    because: 'a workload names a PriorityClass that does not exist',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'deployment', {
        spec: { template: { spec: { priorityClassName: 'business-critical' } } },
      });
      return refusedPod(
        name,
        {
          object: deploymentRef(name),
          field: 'spec.template.spec.priorityClassName',
          value: 'business-critical',
          also: [{ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', name: 'business-critical' }],
          file,
        },
        'no PriorityClass with name business-critical was found',
      );
    },
  },
  {
    name: 'volumes-beyond-the-limit-of-the-node',
    because: 'the node holds no more volumes of its driver',
    isBroad: true,
    inject(scene) {
      const name = scene.pick(['loki', 'alertmanager', 'redis']);
      const domain = name === 'redis' ? 'data' : 'platform';
      scene.apply({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSINode',
        metadata: { name: NODE },
        spec: { drivers: [{ name: 'simulated.argosy.dev', nodeID: NODE, allocatable: { count: 1 } }] },
      });
      scene.remove(podRef(`${domain}-${name}-0`));
      return {
        roots: [
          {
            object: { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', name: NODE },
            field: 'spec.drivers[0].allocatable.count',
            value: 1,
            also: [node(NODE)],
          },
        ],
        applications: [app(name, domain)],
        signs: [{ object: podRef(`${domain}-${name}-0`), shows: unschedulable('exceed max volume count') }],
      };
    },
  },
  {
    name: 'node-that-is-cordoned',
    because: 'the only node of the pool takes no new pods',
    isBroad: true,
    inject(scene) {
      const name = scene.service();
      scene.patch(node(NODE), { spec: { unschedulable: true } });
      scene.remove(podRef(`${name}-*`));
      return {
        roots: [{ object: node(NODE), field: 'spec.unschedulable', value: true }],
        applications: [app(name)],
        signs: [{ object: podRef(`${name}-*`), shows: unschedulable('were unschedulable') }],
      };
    },
  },
  {
    name: 'volume-of-another-zone',
    because: 'the volume of a claim can be used on nodes of another zone only',
    inject(scene) {
      scene.pick(['archive']);
      scene.apply({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'restored-files' },
        spec: {
          capacity: { storage: '4Gi' },
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'managed-csi',
          persistentVolumeReclaimPolicy: 'Retain',
          csi: { driver: 'disk.csi.azure.com', volumeHandle: 'restored-files' },
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['north-2'] }] },
              ],
            },
          },
        },
      });
      scene.plain('archive', 'claim', {
        metadata: { name: 'archive-restored' },
        spec: { volumeName: 'restored-files' },
      });
      const file = scene.plain('archive', 'deployment', {
        spec: {
          template: {
            spec: { volumes: [{ name: 'files', persistentVolumeClaim: { claimName: 'archive-restored' } }] },
          },
        },
      });
      return {
        roots: [
          {
            object: { apiVersion: 'v1', kind: 'PersistentVolume', name: 'restored-files' },
            field: 'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values[0]',
            value: 'north-2',
            also: [claimRef('archive-restored')],
            file,
          },
        ],
        applications: [app('archive')],
        signs: [{ object: podRef('archive-*'), shows: unschedulable("didn't match PersistentVolume's node affinity") }],
      };
    },
  },
];
