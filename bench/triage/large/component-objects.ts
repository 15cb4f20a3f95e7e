import type { JsonObject } from '../../../src/model/json/index.js';
import { CREATED, metaOf, short, SINCE, TAKEN, uidOf, type Component } from './fleet.js';

const condition = (type: string, status: string, reason = '', message = ''): JsonObject => ({
  type,
  status,
  lastTransitionTime: SINCE,
  ...(reason === '' ? {} : { reason }),
  ...(message === '' ? {} : { message }),
});
const tracked = ({ application, namespace, name }: Component, group: string, kind: string): JsonObject => ({
  'argocd.argoproj.io/tracking-id': `${application}:${group}/${kind}:${namespace}/${name}`,
  'argocd.argoproj.io/sync-wave': '1',
});
const labelsOf = ({ name, application }: Component): JsonObject => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/part-of': application,
  'app.kubernetes.io/managed-by': 'Helm',
  'helm.sh/chart': 'service-4.2.0',
});
const owner = (apiVersion: string, kind: string, namespace: string, name: string): JsonObject => ({
  ownerReferences: [
    { apiVersion, kind, name, uid: uidOf(kind, namespace, name), controller: true, blockOwnerDeletion: true },
  ],
});
const setName = ({ name }: Component, revision: number): string => `${name}-${short(`${name} ${revision}`, 9)}`;

/** The tag that nobody pushed, for those that ask for it. */
const imageOf = ({ name, fault }: Component): string =>
  `ghcr.io/acme/${name.replace(/^app-\d+-/, '')}:${fault === 'tag' ? 'main' : 'v3.1.4'}`;

function podSpec(component: Component): JsonObject {
  const { name, fault, hasClaim } = component;
  return {
    serviceAccountName: name,
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    securityContext: { runAsNonRoot: true, runAsUser: 65532, fsGroup: 65532 },
    // What everybody has and some forgot: the pool is tainted.
    ...(fault === 'taint'
      ? {}
      : { tolerations: [{ key: 'pool', operator: 'Equal', value: 'apps', effect: 'NoSchedule' }] }),
    containers: [
      {
        name: 'app',
        image: imageOf(component),
        imagePullPolicy: 'IfNotPresent',
        ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
        env: [
          { name: 'LOG_LEVEL', value: 'info' },
          { name: 'UPSTREAM_URL', value: `http://${name}:80/` },
          { name: 'TOKEN', valueFrom: { secretKeyRef: { name: `${name}-keys`, key: 'token' } } },
          { name: 'POD_IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } },
        ],
        envFrom: [{ configMapRef: { name } }],
        resources: {
          requests: { cpu: '100m', memory: '128Mi' },
          limits: { memory: fault === 'memory' ? '64Mi' : '512Mi' },
        },
        livenessProbe: {
          httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' },
          periodSeconds: 10,
          timeoutSeconds: 1,
          successThreshold: 1,
          failureThreshold: 3,
        },
        readinessProbe: {
          httpGet: { path: '/readyz', port: 'http', scheme: 'HTTP' },
          periodSeconds: 5,
          timeoutSeconds: 1,
          successThreshold: 1,
          failureThreshold: 3,
        },
        volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }, ...(hasClaim ? [{ name: 'data', mountPath: '/data' }] : [])],
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
    volumes: [
      { name: 'tmp', emptyDir: {} },
      ...(hasClaim ? [{ name: 'data', persistentVolumeClaim: { claimName: `${name}-data` } }] : []),
    ],
  };
}

const HASH = 'pod-template-hash';

function podOf(component: Component, index: number): JsonObject {
  const { name, namespace, fault, node } = component;
  const set = setName(component, 2);
  const podName = `${set}-${short(`${set} ${index}`, 5)}`;
  const isPending = fault === 'taint' || fault === 'class';
  const ready = fault === undefined ? 'True' : 'False';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metaOf('Pod', namespace, podName, {
      generateName: `${set}-`,
      labels: { ...labelsOf(component), [HASH]: set.slice(name.length + 1) },
      ...owner('apps/v1', 'ReplicaSet', namespace, set),
    }),
    spec: {
      ...podSpec(component),
      ...(isPending ? {} : { nodeName: `node-${node}` }),
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
      priority: 0,
    },
    status: isPending
      ? pendingStatus(component)
      : {
          phase: fault === 'store' || fault === 'tag' ? 'Pending' : 'Running',
          qosClass: 'Burstable',
          hostIP: `10.0.0.${node % 250}`,
          podIP: `10.64.${node % 250}.${index + 2}`,
          podIPs: [{ ip: `10.64.${node % 250}.${index + 2}` }],
          startTime: SINCE,
          conditions: [
            condition('PodReadyToStartContainers', 'True'),
            condition('Initialized', 'True'),
            condition(
              'Ready',
              ready,
              fault === undefined ? '' : 'ContainersNotReady',
              fault === undefined ? '' : 'containers with unready status: [app]',
            ),
            condition('ContainersReady', ready),
            condition('PodScheduled', 'True'),
          ],
          containerStatuses: [
            {
              name: 'app',
              image: imageOf(component),
              imageID: fault === 'tag' ? '' : `ghcr.io/acme/app@sha256:${short(name, 64)}`,
              containerID: `containerd://${short(podName, 64)}`,
              ready: fault === undefined,
              started: fault === undefined,
              restartCount: fault === 'memory' ? 41 : 0,
              ...stateOf(component),
            },
          ],
        },
  };
}

function pendingStatus({ fault }: Component): JsonObject {
  const message =
    fault === 'taint'
      ? '0/40 nodes are available: 40 node(s) had untolerated taint {pool: apps}. preemption: 0/40 nodes are ' +
        'available: 40 Preemption is not helpful for scheduling.'
      : '0/40 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/40 nodes ' +
        'are available: 40 Preemption is not helpful for scheduling.';
  return {
    phase: 'Pending',
    qosClass: 'Burstable',
    conditions: [condition('PodScheduled', 'False', 'Unschedulable', message)],
  };
}

function stateOf(component: Component): JsonObject {
  const { name, fault } = component;
  if (fault === 'store')
    return {
      state: { waiting: { reason: 'CreateContainerConfigError', message: `secret "${name}-keys" not found` } },
      lastState: {},
    };
  if (fault === 'tag')
    return {
      state: {
        waiting: {
          reason: 'ImagePullBackOff',
          message:
            `Back-off pulling image "${imageOf(component)}": ErrImagePull: rpc error: code = NotFound desc = ` +
            `failed to pull and unpack image "${imageOf(component)}": failed to resolve reference: ` +
            `${imageOf(component)}: not found`,
        },
      },
      lastState: {},
    };
  if (fault === 'memory')
    return {
      state: {
        waiting: { reason: 'CrashLoopBackOff', message: `back-off 5m0s restarting failed container=app pod=${name}` },
      },
      lastState: {
        terminated: {
          reason: 'OOMKilled',
          exitCode: 137,
          startedAt: SINCE,
          finishedAt: '2026-11-16T11:58:00Z',
          containerID: `containerd://${short(name, 64)}`,
        },
      },
    };
  return { state: { running: { startedAt: SINCE } }, lastState: {} };
}

function deploymentOf(component: Component): JsonObject {
  const { name, namespace, fault, replicas } = component;
  const good = fault === undefined ? replicas : 0;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metaOf('Deployment', namespace, name, {
      labels: labelsOf(component),
      annotations: { ...tracked(component, 'apps', 'Deployment'), 'deployment.kubernetes.io/revision': '2' },
    }),
    spec: {
      replicas,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      selector: { matchLabels: { 'app.kubernetes.io/name': name } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: { metadata: { labels: labelsOf(component) }, spec: podSpec(component) },
    },
    status: {
      observedGeneration: 3,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: good,
      availableReplicas: good,
      unavailableReplicas: replicas - good,
      conditions: [
        condition(
          'Available',
          fault === undefined ? 'True' : 'False',
          fault === undefined ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
          fault === undefined
            ? 'Deployment has minimum availability.'
            : 'Deployment does not have minimum availability.',
        ),
        condition(
          'Progressing',
          fault === undefined ? 'True' : 'False',
          fault === undefined ? 'NewReplicaSetAvailable' : 'ProgressDeadlineExceeded',
          `ReplicaSet "${setName(component, 2)}" ` +
            (fault === undefined ? 'has successfully progressed.' : 'has timed out progressing.'),
        ),
      ],
    },
  };
}

function replicaSetOf(component: Component, revision: number): JsonObject {
  const { namespace, name, fault } = component;
  const set = setName(component, revision);
  const replicas = revision === 2 ? component.replicas : 0;
  const good = fault === undefined ? replicas : 0;
  const labels = { ...labelsOf(component), [HASH]: set.slice(name.length + 1) };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: metaOf('ReplicaSet', namespace, set, {
      labels,
      annotations: {
        'deployment.kubernetes.io/revision': String(revision),
        'deployment.kubernetes.io/desired-replicas': '3',
      },
      ...owner('apps/v1', 'Deployment', namespace, name),
    }),
    spec: {
      replicas,
      selector: { matchLabels: { 'app.kubernetes.io/name': name, [HASH]: labels[HASH] } },
      template: { metadata: { labels }, spec: podSpec(component) },
    },
    status: {
      observedGeneration: 3,
      replicas,
      fullyLabeledReplicas: replicas,
      readyReplicas: good,
      availableReplicas: good,
    },
  };
}

function secretsOf(component: Component): JsonObject[] {
  const { name, namespace, fault } = component;
  const isBad = fault === 'store';
  const external: JsonObject = {
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: metaOf('ExternalSecret', namespace, `${name}-keys`, {
      labels: labelsOf(component),
      annotations: tracked(component, 'external-secrets.io', 'ExternalSecret'),
    }),
    spec: {
      refreshInterval: '1h',
      secretStoreRef: { kind: 'ClusterSecretStore', name: isBad ? 'vault-edge' : 'vault-main' },
      target: { name: `${name}-keys`, creationPolicy: 'Owner' },
      data: [{ secretKey: 'token', remoteRef: { key: `apps/${name}`, property: 'token' } }],
    },
    status: {
      refreshTime: SINCE,
      conditions: [
        condition(
          'Ready',
          isBad ? 'False' : 'True',
          isBad ? 'SecretSyncedError' : 'SecretSynced',
          isBad ? 'could not get secret data from provider' : 'secret synced',
        ),
      ],
    },
  };
  if (isBad) return [external];
  return [
    external,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: metaOf(
        'Secret',
        namespace,
        `${name}-keys`,
        owner('external-secrets.io/v1', 'ExternalSecret', namespace, `${name}-keys`),
      ),
      data: { token: Buffer.from(short(name, 40)).toString('base64') },
    },
  ];
}

function claimsOf(component: Component): JsonObject[] {
  const { name, namespace, fault } = component;
  const [isBad, volume] = [fault === 'class', `pvc-${short(`${namespace}${name}`, 16)}`];
  const claim: JsonObject = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metaOf('PersistentVolumeClaim', namespace, `${name}-data`, {
      labels: labelsOf(component),
      annotations: tracked(component, '', 'PersistentVolumeClaim'),
    }),
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: isBad ? 'fast' : 'standard',
      volumeMode: 'Filesystem',
      resources: { requests: { storage: '10Gi' } },
      ...(isBad ? {} : { volumeName: volume }),
    },
    status: isBad
      ? { phase: 'Pending' }
      : { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' } },
  };
  if (isBad) return [claim];
  return [
    claim,
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: metaOf('PersistentVolume', '', volume),
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '10Gi' },
        storageClassName: 'standard',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: `${name}-data` },
        csi: { driver: 'disk.csi.example.io', volumeHandle: volume },
      },
      status: { phase: 'Bound' },
    },
  ];
}

/** Everything of one component, as an API server has it. */
export function componentObjects(component: Component): JsonObject[] {
  const { name, namespace, replicas, fault, hasClaim, node } = component;
  const [labels, annotations] = [labelsOf(component), tracked(component, '', 'Service')];
  return [
    deploymentOf(component),
    replicaSetOf(component, 1),
    replicaSetOf(component, 2),
    ...Array.from({ length: replicas }, (_, index) => podOf(component, index)),
    ...secretsOf(component),
    ...(hasClaim ? claimsOf(component) : []),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metaOf('Service', namespace, name, { labels, annotations }),
      spec: {
        type: 'ClusterIP',
        clusterIP: `10.96.${node % 250}.9`,
        clusterIPs: [`10.96.${node % 250}.9`],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        sessionAffinity: 'None',
        selector: { 'app.kubernetes.io/name': name },
        ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 'http' }],
      },
      status: { loadBalancer: {} },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      addressType: 'IPv4',
      metadata: metaOf('EndpointSlice', namespace, `${name}-${short(name, 5)}`, {
        labels: { 'kubernetes.io/service-name': name },
        ...owner('v1', 'Service', namespace, name),
      }),
      endpoints: Array.from({ length: replicas }, (_, index) => ({
        addresses: [`10.64.${node % 250}.${index + 2}`],
        conditions: { ready: fault === undefined, serving: fault === undefined, terminating: false },
      })),
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: metaOf('ConfigMap', namespace, name, { labels, annotations: tracked(component, '', 'ConfigMap') }),
      data: {
        'app.yaml':
          `server:\n  port: 8080\n  name: ${name}\nfeatures:\n` +
          `${Array.from({ length: 24 }, (_, index) => `  flag-${index}: ${index % 3 === 0}`).join('\n')}\n`,
      },
    },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: metaOf('ServiceAccount', namespace, name, {
        labels,
        annotations: tracked(component, '', 'ServiceAccount'),
      }),
    },
  ];
}

const REASONS = {
  store: ['Failed', 'Error: secret not found'],
  tag: ['Failed', 'Error: ImagePullBackOff'],
  taint: ['FailedScheduling', '0/40 nodes are available: 40 node(s) had untolerated taint {pool: apps}.'],
  class: ['FailedScheduling', '0/40 nodes are available: pod has unbound immediate PersistentVolumeClaims.'],
  memory: ['BackOff', 'Back-off restarting failed container app'],
} as const;

/** What the kubelet and the scheduler said about the pods; for those that are well, an old line now and then. */
export function componentEvents(component: Component): JsonObject[] {
  const { namespace, fault, node } = component;
  const pods = Array.from({ length: component.replicas }, (_, index) => podOf(component, index));
  const told = (pod: JsonObject, reason: string, message: string, type: string): JsonObject => {
    const { name = '', uid = '' } = pod.metadata as JsonObject;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: metaOf('Event', namespace, `${String(name)}.${short(`${String(name)}${reason}`, 16)}`),
      involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
      type,
      reason,
      message,
      count: 12,
      firstTimestamp: SINCE,
      lastTimestamp: '2026-11-16T11:59:00Z',
      source: { component: 'kubelet', host: `node-${node}` },
      reportingComponent: 'kubelet',
      reportingInstance: `node-${node}`,
    };
  };
  if (fault === undefined)
    return pods.slice(0, 1).map((pod) => told(pod, 'Pulled', 'Container image already present on machine', 'Normal'));
  const claim: JsonObject = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: metaOf('Event', namespace, `${component.name}-data.${short(component.name, 16)}`),
    involvedObject: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: `${component.name}-data` },
    type: 'Warning',
    reason: 'ProvisioningFailed',
    message: 'storageclass.storage.k8s.io "fast" not found',
    count: 90,
    firstTimestamp: CREATED,
    lastTimestamp: TAKEN,
    source: { component: 'persistentvolume-controller' },
  };
  return [
    ...pods.map((pod) => told(pod, REASONS[fault][0], REASONS[fault][1], 'Warning')),
    ...(fault === 'class' ? [claim] : []),
  ];
}
