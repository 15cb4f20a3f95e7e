import type { Json, JsonObject } from '../../model/json/index.js';

/** The environments of seed 004, with the values of their taint. */
export const ENVIRONMENTS = { dev: 'dev', staging: 'staging', prod: 'production' } as const;
export type Environment = keyof typeof ENVIRONMENTS;

export const namespaceOf = (env: Environment): string => `ameide-${env}`;
export const appName = (env: Environment, component: string): string => `${ENVIRONMENTS[env]}-${component}`;

/**
 * A fleet of 200 applications, healthy by default: 65 components in each of three environments, and five of the
 * cluster.
 */
export class Platform {
  readonly objects: JsonObject[] = [];
  readonly #applications = new Map<
    string,
    { readonly namespace: string; health: string; sync: string; readonly resources: JsonObject[]; more: JsonObject }
  >();

  constructor(components: readonly string[]) {
    for (const env of Object.keys(ENVIRONMENTS) as Environment[])
      for (const component of components)
        this.#applications.set(appName(env, component), {
          namespace: namespaceOf(env),
          health: 'Healthy',
          sync: 'Synced',
          resources: [],
          more: {},
        });
    for (const name of [
      'argocd-cert-manager',
      'cluster-cert-manager',
      'cluster-external-secrets',
      'cluster-storage-classes',
      'cluster-metrics',
    ])
      this.#applications.set(name, { namespace: name, health: 'Healthy', sync: 'Synced', resources: [], more: {} });
    const pools = [
      ['system', 2, 'CriticalAddonsOnly', 'true'],
      ['dev', 1, 'ameide.io/environment', 'dev'],
      ['staging', 1, 'ameide.io/environment', 'staging'],
      ['prod', 3, 'ameide.io/environment', 'production'],
    ] as const;
    for (const [pool, count, key, value] of pools)
      for (let index = 0; index < count; index++)
        this.add({
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name: `aks-${pool}-${index}`, labels: { 'ameide.io/pool': pool } },
          spec: { taints: [{ key, value, effect: 'NoSchedule' }] },
          status: {
            allocatable: pool === 'system' ? { cpu: '1900m', memory: '6Gi' } : { cpu: '3800m', memory: '14Gi' },
            conditions: [{ type: 'Ready', status: 'True' }],
          },
        });
    for (const env of Object.keys(ENVIRONMENTS) as Environment[])
      this.add({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespaceOf(env) },
        status: { phase: 'Active' },
      });
  }

  add(...objects: readonly JsonObject[]): void {
    this.objects.push(...objects);
  }

  state(name: string, health: string, more: { readonly sync?: string; readonly status?: JsonObject } = {}): void {
    const known = this.#applications.get(name);
    if (known === undefined) throw new RangeError(`no application ${name}`);
    known.health = health;
    known.sync = more.sync ?? known.sync;
    known.more = { ...known.more, ...more.status };
  }

  resource(name: string, resource: JsonObject): void {
    this.#applications.get(name)?.resources.push(resource);
  }

  /** A Deployment of a component with one pod whose containers do not start. */
  deployment(env: Environment, component: string, pod: JsonObject, spec: JsonObject = {}): void {
    const namespace = namespaceOf(env);
    this.state(appName(env, component), 'Degraded');
    this.resource(appName(env, component), {
      group: 'apps',
      kind: 'Deployment',
      namespace,
      name: component,
      status: 'Synced',
      health: { status: 'Degraded' },
    });
    this.add(
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: component, namespace },
        spec: { replicas: 1, template: { spec } },
        status: { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: {
          name: `${component}-1`,
          namespace,
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: component }],
        },
        spec: { replicas: 1 },
        status: { replicas: 1 },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: `${component}-1-a`,
          namespace,
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${component}-1` }],
        },
        spec: { containers: [{ name: 'app', image: `ghcr.io/ameideio/${component}:dev` }], ...spec },
        status: { phase: 'Pending', ...pod },
      },
    );
  }

  /** A component that reads a Secret which its ExternalSecret never created. */
  withoutSecret(env: Environment, component: string, store: JsonObject, message: string): void {
    const [namespace, secret] = [namespaceOf(env), `${component}-credentials`];
    const spec = {
      nodeName: `aks-${env}-0`,
      containers: [
        {
          name: 'app',
          image: `ghcr.io/ameideio/${component}:dev`,
          env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: secret, key: 'password' } } }],
        },
      ],
    };
    this.deployment(
      env,
      component,
      {
        conditions: [{ type: 'PodScheduled', status: 'True' }],
        containerStatuses: [
          {
            name: 'app',
            ready: false,
            restartCount: 0,
            state: { waiting: { reason: 'CreateContainerConfigError', message: `secret "${secret}" not found` } },
          },
        ],
      },
      spec,
    );
    this.add({
      apiVersion: 'external-secrets.io/v1',
      kind: 'ExternalSecret',
      metadata: { name: secret, namespace },
      spec: {
        secretStoreRef: store,
        target: { name: secret },
        data: [{ secretKey: 'password', remoteRef: { key: component } }],
      },
      status: { conditions: [{ type: 'Ready', status: 'False', reason: 'SecretSyncedError', message }] },
    });
    this.resource(appName(env, component), {
      group: 'external-secrets.io',
      kind: 'ExternalSecret',
      namespace,
      name: secret,
      status: 'Synced',
      health: { status: 'Degraded' },
    });
  }

  /** An unschedulable pod. */
  unschedulable(message: string): JsonObject {
    return { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] };
  }

  /** A claim of a component that waits for its pod. */
  pendingClaim(env: Environment, component: string, claim: string): void {
    this.resource(appName(env, component), {
      kind: 'PersistentVolumeClaim',
      namespace: namespaceOf(env),
      name: claim,
      status: 'Synced',
      health: { status: 'Progressing' },
    });
    this.add(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: claim, namespace: namespaceOf(env) },
        spec: { storageClassName: 'managed-csi' },
        status: { phase: 'Pending' },
      },
      event(
        'PersistentVolumeClaim',
        namespaceOf(env),
        claim,
        'WaitForPodScheduled',
        'waiting for pod to be scheduled',
        'Normal',
      ),
    );
  }

  all(): JsonObject[] {
    const apps = [...this.#applications].map(
      ([name, { namespace, health, sync, resources, more }]): JsonObject => ({
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata: { name, namespace: 'argocd' },
        spec: {
          project: 'default',
          source: { repoURL: 'https://git.example/gitops.git', path: `sources/${name}`, targetRevision: 'main' },
          destination: { namespace },
          syncPolicy: { automated: {} },
        },
        status: {
          health: { status: health },
          sync: { status: sync, revision: 'b' },
          resources: resources as Json[],
          ...more,
        },
      }),
    );
    return [
      ...apps,
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'managed-csi' },
        provisioner: 'disk.csi.azure.com',
        volumeBindingMode: 'WaitForFirstConsumer',
      },
      ...this.objects,
    ];
  }
}

export function event(
  kind: string,
  namespace: string,
  name: string,
  reason: string,
  message: string,
  type = 'Warning',
): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${reason}`.toLowerCase(), namespace: namespace === '' ? 'default' : namespace },
    involvedObject: { kind, ...(namespace === '' ? {} : { namespace }), name },
    type,
    reason,
    message,
    lastTimestamp: '2025-12-05T08:00:00Z',
  };
}
