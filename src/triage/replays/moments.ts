import { type JsonObject, objectAt } from '../../model/json/index.js';
import { appName, ENVIRONMENTS, event, namespaceOf, Platform, type Environment } from './platform.js';

const ENVS = Object.keys(ENVIRONMENTS) as Environment[];
/** The eleven whose shared values override the globals. */
const UNPLACED = [
  'agents',
  'agents-runtime',
  'graph',
  'inference',
  'inference-gateway',
  'platform',
  'threads',
  'workflows',
  'workflows-runtime',
  'www-ameide',
  'www-ameide-platform',
];
const STARTING = ['platform-keycloak', 'data-temporal', 'platform-envoy', 'data-registry'];
const WITH_DISK = ['data-kafka-cluster', 'data-clickhouse', 'platform-postgres-clusters', 'platform-loki'];
const UNSYNCED = ['foundation-coredns-config', 'foundation-cnpg-monitoring'];
const NAMED = [
  'foundation-vault-core',
  'foundation-vault-bootstrap',
  'foundation-vault-import',
  'foundation-cert-manager',
  'foundation-vault-secret-store',
  'transformation',
  'plausible-seed',
  'data-minio',
  'platform-grafana',
  'pgadmin',
];
const COMPONENTS = [
  ...NAMED,
  ...UNPLACED,
  ...STARTING,
  ...WITH_DISK,
  ...UNSYNCED,
  ...Array.from(
    { length: 65 - NAMED.length - UNPLACED.length - STARTING.length - WITH_DISK.length - UNSYNCED.length },
    (_, index) => `service-${index + 1}`,
  ),
];
const LOCAL = COMPONENTS.filter(
  (name) => name.startsWith('service-') || ['data-minio', 'platform-grafana', 'pgadmin'].includes(name),
);
const NO_TOLERATION = 'untolerated taint {ameide.io/environment: ';

/** The same at every moment: six never synced, twelve starting, two OutOfSync. */
function begin(): Platform {
  const platform = new Platform(COMPONENTS);
  for (const env of ENVS) {
    for (const component of UNSYNCED) {
      platform.state(appName(env, component), 'Missing', { sync: 'OutOfSync' });
      platform.resource(appName(env, component), {
        kind: 'ConfigMap',
        namespace: namespaceOf(env),
        name: component,
        status: 'OutOfSync',
        health: { status: 'Missing' },
      });
    }
    for (const component of STARTING) {
      platform.state(appName(env, component), 'Progressing');
      platform.resource(appName(env, component), {
        group: 'apps.example.io',
        kind: 'Service',
        namespace: namespaceOf(env),
        name: component,
        status: 'Synced',
        health: { status: 'Progressing' },
      });
      platform.add({
        apiVersion: 'apps.example.io/v1',
        kind: 'Service',
        metadata: { name: component, namespace: namespaceOf(env) },
        status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Starting', message: 'starting' }] },
      });
    }
  }
  for (const name of ['argocd-cert-manager', 'cluster-cert-manager'])
    platform.state(name, 'Healthy', {
      sync: 'OutOfSync',
      status: { operationState: { phase: 'Succeeded', syncResult: { revision: 'a' } } },
    });
  return platform;
}

const vaultSet = (env: Environment, tolerates: boolean, ready: number): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'foundation-vault-core', namespace: namespaceOf(env) },
  spec: {
    replicas: 1,
    template: {
      spec: tolerates
        ? { tolerations: [{ key: 'ameide.io/environment', value: ENVIRONMENTS[env], effect: 'NoSchedule' }] }
        : {},
    },
  },
  status: { readyReplicas: ready, updateRevision: 'vault-2' },
});
const vaultPod = (env: Environment, revision: string, status: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'foundation-vault-core-0',
    namespace: namespaceOf(env),
    labels: { 'app.kubernetes.io/name': 'vault', 'controller-revision-hash': revision },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'foundation-vault-core' }],
  },
  spec: {
    containers: [{ name: 'vault', image: 'vault' }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-foundation-vault-core-0' } }],
    ...(status.phase === 'Running' ? { nodeName: `aks-${env}-0` } : {}),
  },
  status,
});
/** A label of the Vault pod says whether it is sealed. */
const sealable = (pod: JsonObject, isSealed: boolean): JsonObject => ({
  ...pod,
  metadata: {
    ...objectAt(pod, 'metadata'),
    labels: { ...objectAt(pod, 'metadata', 'labels'), 'vault-initialized': 'true', 'vault-sealed': String(isSealed) },
  },
});
const vaultService = (env: Environment): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'foundation-vault-core', namespace: namespaceOf(env) },
  spec: { selector: { 'app.kubernetes.io/name': 'vault' }, ports: [{ port: 8200 }] },
});
const store = (env: Environment, status: JsonObject): JsonObject => ({
  apiVersion: 'external-secrets.io/v1',
  kind: 'SecretStore',
  metadata: { name: 'ameide-vault', namespace: namespaceOf(env) },
  spec: {
    provider: {
      vault: {
        server: `http://foundation-vault-core.${namespaceOf(env)}.svc.cluster.local:8200`,
        auth: { kubernetes: { role: 'external-secrets', serviceAccountRef: { name: 'default' } } },
      },
    },
  },
  status,
});
const UNREAD = 'could not get secret data from provider';

/** 2025-12-04: Vault pods of an outdated revision, no volume slots left in dev, one store with a wrong address. */
export function firstMoment(): readonly JsonObject[] {
  const platform = begin();
  platform.add({
    apiVersion: 'external-secrets.io/v1',
    kind: 'ClusterSecretStore',
    metadata: { name: 'ameide-vault' },
    spec: { provider: { vault: { server: 'http://vault.vault.svc.cluster.local:8200' } } },
    status: {
      conditions: [
        { type: 'Ready', status: 'False', reason: 'InvalidProviderConfig', message: 'unable to validate store' },
      ],
    },
  });
  platform.add(
    event(
      'ClusterSecretStore',
      '',
      'ameide-vault',
      'InvalidProviderConfig',
      'dial tcp: lookup vault.vault.svc.cluster.local: no such host',
    ),
  );
  for (const env of ENVS) {
    platform.add(
      vaultSet(env, true, 0),
      vaultPod(env, 'vault-1', {
        phase: 'Pending',
        ...platform.unschedulable(`0/7 nodes are available: 1 node(s) had ${NO_TOLERATION}${ENVIRONMENTS[env]}}.`),
      }),
      vaultService(env),
    );
    platform.state(appName(env, 'foundation-vault-core'), 'Degraded');
    platform.resource(appName(env, 'foundation-vault-core'), {
      group: 'apps',
      kind: 'StatefulSet',
      namespace: namespaceOf(env),
      name: 'foundation-vault-core',
      status: 'Synced',
      health: { status: 'Progressing' },
    });
    platform.pendingClaim(env, 'foundation-vault-core', 'data-foundation-vault-core-0');
    for (const component of LOCAL.slice(0, 30))
      platform.withoutSecret(env, component, { kind: 'ClusterSecretStore', name: 'ameide-vault' }, UNREAD);
  }
  for (const component of WITH_DISK) {
    platform.deployment(
      'dev',
      component,
      platform.unschedulable(
        '0/7 nodes are available: 1 node(s) exceed max volume count, 6 node(s) had untolerated taint(s).',
      ),
      {
        containers: [{ name: 'app', image: 'x' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${component}` } }],
      },
    );
    platform.pendingClaim('dev', component, `data-${component}`);
  }
  for (const component of LOCAL.slice(0, 12))
    platform.state(appName('dev', component), 'Degraded', { sync: 'OutOfSync' });
  return platform.all();
}

/**
 * 2025-12-05, morning: stores that a webhook refuses, an identity that the cloud does not trust, names with a prefix,
 * eleven empty overrides, three orphans.
 */
export function secondMoment(): readonly JsonObject[] {
  const platform = begin();
  for (const env of ENVS) {
    const namespace = namespaceOf(env);
    const denied =
      'admission webhook "validate.secretstore.external-secrets.io" denied the request: ' +
      'spec.provider.vault.auth.kubernetes.serviceAccountRef.namespace: namespace not allowed with ' +
      'namespaced SecretStore';
    platform.state(appName(env, 'foundation-vault-secret-store'), 'Degraded', {
      sync: 'OutOfSync',
      status: {
        operationState: {
          phase: 'Failed',
          message: 'one or more objects failed to apply',
          syncResult: {
            resources: [
              {
                group: 'external-secrets.io',
                kind: 'SecretStore',
                namespace,
                name: 'ameide-vault',
                status: 'SyncFailed',
                message: denied,
              },
            ],
          },
        },
      },
    });
    platform.resource(appName(env, 'foundation-vault-secret-store'), {
      group: 'external-secrets.io',
      kind: 'SecretStore',
      namespace,
      name: 'ameide-vault',
      status: 'OutOfSync',
      health: { status: 'Missing' },
    });
    for (const component of LOCAL.slice(0, 18))
      platform.withoutSecret(
        env,
        component,
        { kind: 'SecretStore', name: 'ameide-vault' },
        `could not get SecretStore "ameide-vault", SecretStore.external-secrets.io "ameide-vault" not found`,
      );
    for (const component of UNPLACED)
      platform.deployment(
        env,
        component,
        platform.unschedulable(`0/7 nodes are available: 1 node(s) had ${NO_TOLERATION}${ENVIRONMENTS[env]}}.`),
        { containers: [{ name: 'app', image: 'x' }], tolerations: [] },
      );
    platform.add({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'vault-bootstrap', namespace, annotations: { 'azure.workload.identity/client-id': '11' } },
    });
    bootstrap(
      platform,
      env,
      'foundation-vault-bootstrap',
      'AADSTS70021: No matching federated identity record found for presented assertion.',
    );
    if (env === 'dev')
      bootstrap(
        platform,
        env,
        'foundation-vault-import',
        'SecretNotFound: A secret with (name/id) env-ghcr-token was not found in this key vault.',
      );
    platform.state(appName(env, 'foundation-cert-manager'), 'Healthy', {
      sync: 'OutOfSync',
      status: { operationState: { phase: 'Succeeded', syncResult: { revision: 'b' } } },
    });
    platform.resource(appName(env, 'foundation-cert-manager'), {
      group: 'apps',
      kind: 'Deployment',
      namespace,
      name: 'cert-manager',
      status: 'OutOfSync',
      requiresPruning: true,
    });
  }
  for (const component of LOCAL.slice(18, 21))
    platform.withoutSecret(
      'dev',
      component,
      { kind: 'SecretStore', name: 'ameide-vault' },
      `could not get SecretStore "ameide-vault", SecretStore.external-secrets.io "ameide-vault" not found`,
    );
  return platform.all();
}

function bootstrap(platform: Platform, env: Environment, component: string, line: string): void {
  const namespace = namespaceOf(env);
  platform.state(appName(env, component), 'Degraded');
  platform.resource(appName(env, component), {
    group: 'batch',
    kind: 'Job',
    namespace,
    name: component,
    status: 'Synced',
    health: { status: 'Degraded' },
  });
  platform.add(
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: component, namespace },
      spec: { template: { spec: {} } },
      status: { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${component}-a`,
        namespace,
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: component }],
      },
      spec: {
        nodeName: `aks-${env}-0`,
        serviceAccountName: 'vault-bootstrap',
        containers: [{ name: 'bootstrap', image: 'x' }],
      },
      status: {
        phase: 'Failed',
        conditions: [
          { type: 'PodScheduled', status: 'True' },
          { type: 'Ready', status: 'False' },
        ],
        containerStatuses: [
          { name: 'bootstrap', ready: false, restartCount: 0, state: { terminated: { reason: 'Error', exitCode: 1 } } },
        ],
      },
    },
    { log: { namespace, pod: `${component}-a`, container: 'bootstrap', previous: false, lines: [line] } },
  );
}

/**
 * 2025-12-05, evening: staging sealed, production denied, a tag that was never pushed, stale Jobs, and log noise of the
 * controller.
 */
export function thirdMoment(): readonly JsonObject[] {
  const platform = begin();
  const messages = {
    staging: 'Code: 503. Errors: * Vault is sealed',
    prod: 'unable to log in with Kubernetes auth: Code: 403. Errors: * permission denied',
  } as const;
  for (const env of ['staging', 'prod'] as const) {
    const namespace = namespaceOf(env);
    const isReady = env === 'prod';
    platform.add(
      vaultSet(env, true, isReady ? 1 : 0),
      sealable(
        vaultPod(env, 'vault-2', {
          phase: 'Running',
          startTime: '2025-12-05T06:00:00Z',
          conditions: [
            { type: 'PodScheduled', status: 'True' },
            { type: 'Ready', status: isReady ? 'True' : 'False' },
          ],
          containerStatuses: [{ name: 'vault', ready: isReady, restartCount: 0, state: { running: {} } }],
        }),
        !isReady,
      ),
      vaultService(env),
    );
    platform.add(
      store(env, {
        conditions: [
          { type: 'Ready', status: 'False', reason: 'InvalidProviderConfig', message: 'unable to validate store' },
        ],
      }),
      event('SecretStore', namespace, 'ameide-vault', 'InvalidProviderConfig', messages[env]),
    );
    for (const component of [...LOCAL.slice(0, env === 'staging' ? 37 : 36), ...UNPLACED.slice(0, 8)])
      platform.withoutSecret(env, component, { kind: 'SecretStore', name: 'ameide-vault' }, UNREAD);
    for (const component of ['www-ameide-platform', 'plausible-seed', 'workflows-runtime']) {
      const image = `ghcr.io/ameideio/${component}:main`;
      platform.deployment(
        env,
        component,
        {
          conditions: [{ type: 'PodScheduled', status: 'True' }],
          containerStatuses: [
            {
              name: 'app',
              ready: false,
              restartCount: 0,
              state: {
                waiting: {
                  reason: 'ImagePullBackOff',
                  message: `failed to resolve reference "${image}": ${image}: not found`,
                },
              },
            },
          ],
        },
        { nodeName: `aks-${env}-0`, containers: [{ name: 'app', image }] },
      );
    }
    staleJob(platform, env);
  }
  platform.add(
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'argocd-application-controller-0', namespace: 'argocd' },
      spec: { nodeName: 'aks-system-0', containers: [{ name: 'controller', image: 'argocd' }] },
      status: {
        phase: 'Running',
        conditions: [
          { type: 'PodScheduled', status: 'True' },
          { type: 'Ready', status: 'True' },
        ],
        containerStatuses: [{ name: 'controller', ready: true, restartCount: 0, state: { running: {} } }],
      },
    },
    {
      log: {
        namespace: 'argocd',
        pod: 'argocd-application-controller-0',
        container: 'controller',
        previous: false,
        lines: [
          'DiffFromCache error: error getting managed resources for app production-platform-envoy-crds: ' +
            'cache: key is missing',
        ],
      },
    },
  );
  return platform.all();
}

function staleJob(platform: Platform, env: Environment): void {
  const [namespace, name] = [namespaceOf(env), 'foundation-vault-bootstrap'];
  platform.state(appName(env, name), 'Degraded', {
    status: { history: [{ deployedAt: '2025-12-05T07:00:00Z', revision: 'b' }] },
  });
  platform.resource(appName(env, name), {
    group: 'batch',
    kind: 'Job',
    namespace,
    name,
    status: 'Synced',
    health: { status: 'Degraded' },
  });
  platform.add(
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name,
        namespace,
        creationTimestamp: '2025-12-04T07:00:00Z',
        annotations: { 'helm.sh/hook': 'post-install' },
      },
      spec: { template: { spec: {} } },
      status: { active: 1 },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${name}-a`, namespace, ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name }] },
      spec: { containers: [{ name: 'bootstrap', image: 'x' }] },
      status: {
        phase: 'Pending',
        ...platform.unschedulable(`0/7 nodes are available: 1 node(s) had ${NO_TOLERATION}${ENVIRONMENTS[env]}}.`),
      },
    },
  );
}
