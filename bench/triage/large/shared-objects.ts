import type { JsonObject } from '../../../src/model/json/index.js';
import { CREATED, metaOf, SINCE, TAKEN, type FleetApplication } from './fleet.js';

const isWell = ({ components }: FleetApplication): boolean => components.every(({ fault }) => fault === undefined);

/** An Application with the tree of what it delivers. */
export function applicationObject(application: FleetApplication): JsonObject {
  const { name, namespace, components, isLost } = application;
  const resource = (group: string, kind: string, of: string, status?: string): JsonObject => ({
    ...(group === '' ? {} : { group }),
    version: 'v1',
    kind,
    namespace,
    name: of,
    status: isLost ? 'Unknown' : 'Synced',
    ...(status === undefined ? {} : { health: { status } }),
  });
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: metaOf('Application', 'argocd', name, {
      labels: { environment: 'production', team: namespace },
      finalizers: ['resources-finalizer.argocd.argoproj.io'],
    }),
    spec: {
      project: 'default',
      source: {
        repoURL: 'https://git.example.com/platform/apps.git',
        path: `apps/${name}`,
        targetRevision: isLost ? 'release-9' : 'main',
        helm: { valueFiles: ['values.yaml', 'values-production.yaml'] },
      },
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: {
        automated: { prune: true, selfHeal: true },
        syncOptions: ['CreateNamespace=true', 'ServerSideApply=true'],
      },
    },
    status: {
      health: { status: isWell(application) ? 'Healthy' : 'Degraded', lastTransitionTime: SINCE },
      sync: { status: isLost ? 'Unknown' : 'Synced', revision: 'd6e5a1f0c4b7980312aa45bb66cc77dd88ee99ff' },
      reconciledAt: TAKEN,
      sourceType: 'Helm',
      ...(isLost
        ? {
            conditions: [
              {
                type: 'ComparisonError',
                message:
                  'Failed to load target state: failed to generate manifest for source 1 of 1: rpc error: ' +
                  "code = Unknown desc = unable to resolve 'release-9' to a commit SHA",
                lastTransitionTime: SINCE,
              },
            ],
          }
        : {}),
      resources: components.flatMap(({ name: part, fault, hasClaim }) => [
        resource('apps', 'Deployment', part, fault === undefined ? 'Healthy' : 'Degraded'),
        resource('', 'Service', part, 'Healthy'),
        resource('', 'ConfigMap', part),
        resource('', 'ServiceAccount', part),
        resource('external-secrets.io', 'ExternalSecret', `${part}-keys`, fault === 'store' ? 'Degraded' : 'Healthy'),
        ...(hasClaim
          ? [resource('', 'PersistentVolumeClaim', `${part}-data`, fault === 'class' ? 'Progressing' : 'Healthy')]
          : []),
      ]),
      history: Array.from({ length: 10 }, (_, index) => ({
        id: index,
        revision: 'd6e5a1f0c4b7980312aa45bb66cc77dd88ee99ff',
        deployedAt: CREATED,
        deployStartedAt: CREATED,
        initiatedBy: { automated: true },
        source: {
          repoURL: 'https://git.example.com/platform/apps.git',
          path: `apps/${name}`,
          targetRevision: 'main',
          helm: { valueFiles: ['values.yaml', 'values-production.yaml'] },
        },
      })),
      operationState: {
        phase: 'Succeeded',
        message: 'successfully synced (all tasks run)',
        startedAt: SINCE,
        finishedAt: SINCE,
        operation: { sync: { revision: 'd6e5a1f0c4b7980312aa45bb66cc77dd88ee99ff' } },
        syncResult: {
          revision: 'd6e5a1f0c4b7980312aa45bb66cc77dd88ee99ff',
          resources: components.map(({ name: part }) => ({
            group: 'apps',
            version: 'v1',
            kind: 'Deployment',
            namespace,
            name: part,
            status: 'Synced',
            message: `deployment.apps/${part} configured`,
            hookPhase: 'Running',
            syncPhase: 'Sync',
          })),
        },
      },
    },
  };
}

export function nodeObject(index: number): JsonObject {
  const condition = (type: string, status: string, reason: string): JsonObject => ({
    type,
    status,
    reason,
    message: reason,
    lastHeartbeatTime: TAKEN,
    lastTransitionTime: CREATED,
  });
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: metaOf('Node', '', `node-${index}`, {
      labels: {
        'kubernetes.io/hostname': `node-${index}`,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/zone': `zone-${index % 3}`,
        pool: 'apps',
      },
    }),
    spec: {
      podCIDR: `10.64.${index % 250}.0/24`,
      providerID: `cloud://node-${index}`,
      taints: [{ key: 'pool', value: 'apps', effect: 'NoSchedule' }],
    },
    status: {
      capacity: { cpu: '32', memory: '131072Mi', pods: '250' },
      allocatable: { cpu: '31', memory: '126976Mi', pods: '250' },
      conditions: [
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID'),
        condition('Ready', 'True', 'KubeletReady'),
      ],
      addresses: [{ type: 'InternalIP', address: `10.0.0.${index % 250}` }],
      nodeInfo: { kubeletVersion: 'v1.34.4', osImage: 'Linux', architecture: 'amd64' },
      images: Array.from({ length: 40 }, (_, image) => ({
        names: [
          `ghcr.io/acme/image-${image}:v1`,
          `ghcr.io/acme/image-${image}@sha256:${String(image).padStart(64, '0')}`,
        ],
        sizeBytes: 1_000_000 * (image + 1),
      })),
    },
  };
}

const store = (name: string, namespace: string, isBad: boolean): JsonObject => ({
  apiVersion: 'external-secrets.io/v1',
  kind: 'ClusterSecretStore',
  metadata: metaOf('ClusterSecretStore', '', name),
  spec: {
    provider: {
      vault: {
        server: `http://vault.${namespace}.svc:8200`,
        path: 'secret',
        version: 'v2',
        auth: {
          kubernetes: {
            mountPath: 'kubernetes',
            role: 'apps',
            serviceAccountRef: { name: 'external-secrets', namespace: 'external-secrets' },
          },
        },
      },
    },
  },
  status: {
    capabilities: 'ReadWrite',
    conditions: [
      isBad
        ? {
            type: 'Ready',
            status: 'False',
            reason: 'InvalidProviderConfig',
            message: 'unable to validate store',
            lastTransitionTime: SINCE,
          }
        : { type: 'Ready', status: 'True', reason: 'Valid', message: 'store validated', lastTransitionTime: SINCE },
    ],
  },
});

/**
 * What the whole cluster shares: stores of secrets, a class of storage, the vault. One of the stores asks a namespace
 * where no vault is.
 */
export function sharedObjects(namespaces: number): JsonObject[] {
  const namespace = (name: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: metaOf('Namespace', '', name),
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
  const vaultPod: JsonObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metaOf('Pod', 'vault', 'vault-0', { labels: { app: 'vault' } }),
    spec: {
      nodeName: 'node-0',
      serviceAccountName: 'vault',
      containers: [{ name: 'vault', image: 'hashicorp/vault:1.20', ports: [{ containerPort: 8200 }] }],
    },
    status: {
      phase: 'Running',
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'PodScheduled', status: 'True' },
      ],
      containerStatuses: [{ name: 'vault', ready: true, restartCount: 0, state: { running: { startedAt: CREATED } } }],
    },
  };
  return [
    ...[
      'argocd',
      'vault',
      'external-secrets',
      ...Array.from({ length: namespaces }, (_, index) => `team-${index}`),
    ].map(namespace),
    store('vault-main', 'vault', false),
    store('vault-edge', 'edge-vault', true),
    vaultPod,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metaOf('Service', 'vault', 'vault'),
      spec: {
        type: 'ClusterIP',
        selector: { app: 'vault' },
        ports: [{ name: 'http', port: 8200, targetPort: 8200, protocol: 'TCP' }],
      },
    },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metaOf('ServiceAccount', 'vault', 'vault') },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: metaOf('ServiceAccount', 'external-secrets', 'external-secrets'),
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: metaOf('StorageClass', '', 'standard', {
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      }),
      provisioner: 'disk.csi.example.io',
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    },
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: metaOf('AppProject', 'argocd', 'default'),
      spec: {
        sourceRepos: ['*'],
        destinations: [{ namespace: '*', server: '*' }],
        clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      },
    },
  ];
}
