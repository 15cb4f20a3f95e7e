import { isArray, isObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Symptom } from './await-symptoms.js';
import type { Environment } from './environments.js';
import type { RenderedApplication } from './render-fleet.js';

const STORE = 'ClusterSecretStore Architecture Mismatch';
const NO_NODE = { reason: 'FailedScheduling', message: 'node(s) had untolerated taint(s)' };

/** The table of claims: the component that has it, the claim, its class, and the pod that it waits for. */
const CLAIMS = [
  ['foundation-vault-core', 'data-foundation-vault-core-0', 'default', 'foundation-vault-core-0'],
  ['data-kafka-cluster', 'data-0-kafka-kafka-pool-0', 'managed-csi-premium', 'kafka-kafka-pool-0'],
  ['data-clickhouse', 'data-clickhouse-**', 'managed-csi', 'chi-clickhouse-main-0-0-0'],
  ['platform-postgres-clusters', 'postgres-ameide-1', 'managed-csi-premium', 'postgres-ameide-1-initdb-*'],
  ['platform-loki', 'storage-platform-loki-0', 'managed-csi', 'platform-loki-0'],
] as const;

/** The table of pods whose Secret is missing. */
const SECRETLESS = [
  ['data-minio', 'data-minio-*-*', 'minio-root-credentials'],
  ['platform-grafana', 'platform-grafana-*-*', 'grafana-admin-credentials'],
  ['data-pgadmin', 'pgadmin-*-*', 'pgadmin-bootstrap-credentials'],
  ['apps-plausible', 'plausible-plausible-*-*', 'plausible-secret'],
] as const;

/** What the cluster shows once of its first moment, beside all environments. */
export const FIRST_CLUSTER_SYMPTOMS: readonly Symptom[] = [
  {
    heading: STORE,
    apiVersion: 'external-secrets.io/v1',
    kind: 'ClusterSecretStore',
    names: ['ameide-vault'],
    columns: { STATUS: 'InvalidProviderConfig', READY: 'False' },
    event: {
      reason: 'InvalidProviderConfig',
      message: 'lookup vault.vault.svc.cluster.local on 10.0.0.10:53: no such host',
    },
  },
];

/**
 * What an environment shows at its first moment, by the tables of the inventory, as far as the fleet has the
 * components.
 */
export function firstSymptoms({ name, namespace }: Environment, rendered: readonly RenderedApplication[]): Symptom[] {
  const has = ([component]: readonly [string, ...unknown[]]): boolean =>
    rendered.some((application) => application.name === `${name}-${component}`);
  const objects = rendered
    .filter((application) => application.namespace === namespace)
    .flatMap((application) => application.objects);
  const secrets = objects.filter(({ kind }) => kind === 'ExternalSecret').map(({ metadata }) => metadata.name ?? '');
  const core = (kind: string): Pick<Symptom, 'apiVersion' | 'kind' | 'namespace'> => ({
    apiVersion: 'v1',
    kind,
    namespace,
  });
  const symptoms: Symptom[] = [
    ...CLAIMS.filter(has).map(
      ([, claim, storageClass, pod]): Symptom => ({
        heading: 'PVCs Pending',
        ...core('PersistentVolumeClaim'),
        names: [claim],
        columns: { STATUS: 'Pending', STORAGECLASS: storageClass },
        event: { reason: 'WaitForPodScheduled', message: `waiting for pod ${pod.replace('*', '')}` },
      }),
    ),
    ...CLAIMS.filter(has).map(
      ([, , , pod]): Symptom => ({
        heading: 'PVCs Pending',
        ...core('Pod'),
        names: [pod],
        columns: { READY: '0/1', STATUS: 'Pending' },
        event: NO_NODE,
      }),
    ),
    {
      heading: STORE,
      apiVersion: 'external-secrets.io/v1',
      kind: 'ExternalSecret',
      namespace,
      names: secrets,
      columns: { STORE: 'ameide-vault', STATUS: 'SecretSyncedError', READY: 'False' },
      event: { reason: 'UpdateFailed', message: 'ClusterSecretStore "ameide-vault" is not ready' },
    },
    ...SECRETLESS.filter(has).map(
      ([, pod, secret]): Symptom => ({
        heading: 'CreateContainerConfigError (Missing Secrets)',
        ...core('Pod'),
        names: [pod],
        columns: { READY: '0/1', STATUS: 'CreateContainerConfigError' },
        event: { reason: 'Failed', message: `Error: secret "${secret}" not found` },
      }),
    ),
    {
      heading: 'ImagePullBackOff (Missing ghcr-pull-secret)',
      ...core('Pod'),
      names: objects.filter(needsPullSecret).map(({ metadata }) => `${metadata.name ?? ''}-*-*`),
      columns: { READY: '0/1', STATUS: 'ImagePullBackOff' },
      event: {
        reason: 'FailedToRetrieveImagePullSecret',
        message: 'Unable to retrieve some image pull secrets (ghcr-pull-secret)',
      },
    },
  ];
  return symptoms.filter(({ names }) => names.length > 0);
}

function needsPullSecret({ kind, spec }: KubeObject): boolean {
  const pod = kind === 'Deployment' && isObject(spec) && isObject(spec.template) ? spec.template.spec : undefined;
  if (!isObject(pod) || !isArray(pod.imagePullSecrets) || !isArray(pod.containers)) return false;
  return pod.containers.some(
    (container) => isObject(container) && String(container.image).startsWith('ghcr.io/ameideio/'),
  );
}
