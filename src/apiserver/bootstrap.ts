import type { KubeObject } from '../model/kubernetes/index.js';
import { bootstrapPolicy } from './access/index.js';
import type { LocalClient, ResourceName } from './rest/index.js';

const RBAC = 'rbac.authorization.k8s.io';

/** The objects that every cluster starts with, each with the resource it belongs to. */
function bootstrapObjects(): [ResourceName, KubeObject][] {
  const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
  return [
    ...namespaces.map((name): [ResourceName, KubeObject] => [
      { group: '', plural: 'namespaces' },
      { kind: 'Namespace', apiVersion: 'v1', metadata: { name } },
    ]),
    ...bootstrapPolicy().map((object): [ResourceName, KubeObject] => [
      { group: RBAC, plural: object.kind === 'ClusterRole' ? 'clusterroles' : 'clusterrolebindings' },
      object,
    ]),
    priorityClass('system-cluster-critical', 2_000_000_000, 'must be scheduled in the cluster'),
    priorityClass('system-node-critical', 2_000_001_000, 'must not be moved from its node'),
    [
      { group: '', plural: 'services' },
      {
        kind: 'Service',
        apiVersion: 'v1',
        metadata: {
          name: 'kubernetes',
          namespace: 'default',
          labels: { component: 'apiserver', provider: 'kubernetes' },
        },
        spec: {
          type: 'ClusterIP',
          clusterIP: '10.0.0.1',
          clusterIPs: ['10.0.0.1'],
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
          ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
        },
      },
    ],
  ];
}

function priorityClass(name: string, value: number, description: string): [ResourceName, KubeObject] {
  return [
    { group: 'scheduling.k8s.io', plural: 'priorityclasses' },
    {
      kind: 'PriorityClass',
      apiVersion: 'scheduling.k8s.io/v1',
      metadata: { name },
      value,
      description,
      preemptionPolicy: 'PreemptLowerPriority',
    },
  ];
}

/**
 * Adds whichever first object is missing, all at once, so that the disk is waited for once. They are handed in in this
 * order, and a namespace can be used from then on.
 */
export async function bootstrap(client: LocalClient): Promise<void> {
  const missing = bootstrapObjects().filter(
    ([
      of,
      {
        metadata: { namespace = '', name = '' },
      },
    ]) => !client.get(of, namespace, name),
  );
  await Promise.all(missing.map(([of, object]) => client.create(of, object)));
}
