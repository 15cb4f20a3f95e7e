import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/** The nodes of a new cluster. */
const FIRST_NODES = [
  { name: 'worker-1', zone: 'zone-a', address: '172.18.0.2' },
  { name: 'worker-2', zone: 'zone-b', address: '172.18.0.3' },
  { name: 'worker-3', zone: 'zone-c', address: '172.18.0.4' },
] as const;

/** What a node has where it does not say otherwise; allocatable is what the system leaves of it. */
export const NODE_CAPACITY: JsonObject = {
  cpu: '32',
  'ephemeral-storage': '209715200Ki',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  memory: '131072Mi',
  pods: '250',
};

export const NODE_INFO: JsonObject = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '6.12.0-argosy',
  osImage: 'Argosy simulated node',
  kubeletVersion: 'v1.34.4',
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'amd64',
};

/** Conditions of a node that is well, in the kubelet's words. */
export function healthyConditions(now: string): JsonObject[] {
  const well = (type: string, status: string, reason: string, message: string): JsonObject => ({
    type,
    status,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
    reason,
    message,
  });
  return [
    well('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    well('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    well('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    well('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
  ];
}

export function firstNodes(): KubeObject[] {
  return FIRST_NODES.map(({ name, zone, address }) => ({
    kind: 'Node',
    apiVersion: 'v1',
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'node-role.kubernetes.io/worker': '',
        'topology.kubernetes.io/region': 'region-1',
        'topology.kubernetes.io/zone': zone,
      },
    },
    spec: {},
    status: {
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
    },
  }));
}
