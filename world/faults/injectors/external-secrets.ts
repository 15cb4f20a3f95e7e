import type { Injector } from '../injection/injector.js';
import { ENVIRONMENT, NAMESPACE, SERVICES } from '../injection/names.js';
import { app, configMapRef, externalSecretRef, podRef, secretRef } from '../injection/object-refs.js';
import { oneSecretFails, storeFails, VAULT } from './secret-signs.js';

export const EXTERNAL_SECRETS: readonly Injector[] = [
  {
    name: 'external-secret-of-a-store-that-is-not-there',
    because: 'an ExternalSecret names a store that does not exist',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'secret', {
        spec: { secretStoreRef: { name: 'ameide-vault', kind: 'ClusterSecretStore' } },
      });
      return oneSecretFails(
        scene,
        name,
        { field: 'spec.secretStoreRef.kind', value: 'ClusterSecretStore', file },
        'not found',
      );
    },
  },
  {
    name: 'external-secret-of-a-key-that-is-not-there',
    because: 'an ExternalSecret asks for an entry with a prefix that the provider does not have',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'secret', {
        spec: { data: [{ secretKey: 'token', remoteRef: { key: 'env-secrets-smoke', property: 'value' } }] },
      });
      return oneSecretFails(
        scene,
        name,
        { field: 'spec.data[0].remoteRef.key', value: 'env-secrets-smoke', file },
        'Secret does not exist',
      );
    },
  },
  {
    name: 'two-external-secrets-of-one-target',
    because: 'two ExternalSecrets want to own one Secret',
    inject(scene) {
      const [name = '', other = ''] = scene.pickSome(SERVICES, 2);
      const file = scene.plain(other, 'secret', { spec: { target: { name: `${name}-token` } } });
      const object = externalSecretRef(`${other}-token`);
      return {
        roots: [{ object, field: 'spec.target.name', value: `${name}-token`, file }],
        applications: [app(other)],
        signs: [
          {
            object,
            shows: {
              status: {
                conditions: [{ type: 'Ready', status: 'False', message: 'target is owned by another ExternalSecret' }],
              },
            },
          },
        ],
      };
    },
  },
  {
    name: 'external-secret-that-merges-into-nothing',
    because: 'an ExternalSecret may only add to a Secret that nobody makes',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'secret', {
        spec: { target: { name: `${name}-token`, creationPolicy: 'Merge' } },
      });
      scene.play(60);
      scene.remove(secretRef(`${name}-token`));
      scene.remove(podRef(`${name}-*`));
      const object = externalSecretRef(`${name}-token`);
      return {
        roots: [{ object, field: 'spec.target.creationPolicy', value: 'Merge', file }],
        applications: [app(name)],
        signs: [
          { object, shows: { status: { conditions: [{ type: 'Ready', reason: 'SecretMissing' }] } } },
          {
            object: podRef(`${name}-*`),
            shows: {
              status: { containerStatuses: [{ state: { waiting: { reason: 'CreateContainerConfigError' } } }] },
            },
          },
        ],
      };
    },
  },
  {
    name: 'secret-without-the-key-that-is-asked-for',
    because: 'a container asks for a key that its Secret does not have',
    inject(scene) {
      const name = scene.service();
      const file = scene.container(name, 'deployment', {
        env: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: `${name}-token`, key: 'api-token' } } }],
      });
      return {
        roots: [
          {
            object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: NAMESPACE, name },
            field: 'spec.template.spec.containers[0].env[0].valueFrom.secretKeyRef.key',
            value: 'api-token',
            file,
          },
        ],
        applications: [app(name)],
        signs: [
          {
            object: podRef(`${name}-*`),
            shows: {
              status: {
                containerStatuses: [
                  {
                    state: {
                      waiting: {
                        reason: 'CreateContainerConfigError',
                        message: `couldn't find key api-token in Secret ${NAMESPACE}/${name}-token`,
                      },
                    },
                  },
                ],
              },
            },
          },
        ],
      };
    },
  },
  {
    name: 'config-map-volume-that-is-not-there',
    because: 'a volume names a ConfigMap that does not exist',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'deployment', {
        spec: { template: { spec: { volumes: [{ name: 'rules', configMap: { name: `${name}-rules-v2` } }] } } },
      });
      return {
        roots: [
          {
            object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: NAMESPACE, name },
            field: 'spec.template.spec.volumes[0].configMap.name',
            value: `${name}-rules-v2`,
            also: [configMapRef(`${name}-rules-v2`)],
            file,
          },
        ],
        applications: [app(name)],
        signs: [
          {
            object: podRef(`${name}-*`),
            event: { reason: 'FailedMount', words: `configmap "${name}-rules-v2" not found` },
          },
        ],
      };
    },
  },
  {
    name: 'config-map-that-left-git',
    because: 'a ConfigMap that a container reads its variables from was taken out of git',
    inject(scene) {
      const name = scene.service();
      const file = `sources/plain/apps/${name}/config.yaml`;
      scene.file(file, undefined);
      scene.play(60);
      scene.remove(podRef(`${name}-*`));
      return {
        roots: [{ object: configMapRef(name), field: 'metadata.name', value: null, file }],
        applications: [app(name)],
        signs: [
          { object: configMapRef(name), isAbsent: true },
          {
            object: podRef(`${name}-*`),
            shows: {
              status: {
                containerStatuses: [
                  {
                    state: {
                      waiting: { reason: 'CreateContainerConfigError', message: `configmap "${name}" not found` },
                    },
                  },
                ],
              },
            },
          },
        ],
      };
    },
  },
  {
    name: 'sealed-secret-of-another-cluster',
    because: 'a SealedSecret was sealed with the key of another cluster',
    inject(scene) {
      scene.pick(['licences']);
      const file = scene.plain('licences', 'sealed', {
        metadata: { annotations: { 'world.argosy.dev/sealed-with': 'key-of-another-cluster' } },
        spec: { encryptedData: { key: 'b3RoZXI=' } },
      });
      const object = {
        apiVersion: 'bitnami.com/v1alpha1',
        kind: 'SealedSecret',
        namespace: NAMESPACE,
        name: 'licences-key',
      };
      scene.play(60);
      scene.remove(secretRef('licences-key'));
      scene.remove(podRef('licences-*'));
      return {
        roots: [{ object, field: 'spec.encryptedData', value: null, file }],
        applications: [app('licences')],
        signs: [
          {
            object,
            shows: {
              status: { conditions: [{ type: 'Synced', status: 'False', message: '~no key could decrypt secret' }] },
            },
          },
          {
            object: podRef('licences-*'),
            shows: {
              status: { containerStatuses: [{ state: { waiting: { reason: 'CreateContainerConfigError' } } }] },
            },
          },
        ],
      };
    },
  },
  {
    name: 'bootstrap-without-its-federated-credential',
    because: 'no federated credential of the cloud names the account of the bootstrap',
    inject(scene) {
      scene.patch(
        { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'azure', name: `vault-bootstrap-${ENVIRONMENT.name}` },
        { data: { subject: 'system:serviceaccount:vault:vault-bootstrap' } },
      );
      scene.apply({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          name: 'foundation-vault-bootstrap-by-hand',
          namespace: NAMESPACE,
          labels: { 'app.kubernetes.io/name': 'vault-bootstrap' },
        },
        spec: {
          backoffLimit: 1,
          template: {
            metadata: { labels: { 'app.kubernetes.io/name': 'vault-bootstrap' } },
            spec: {
              restartPolicy: 'Never',
              serviceAccountName: 'foundation-vault-bootstrap-vault-bootstrap',
              nodeSelector: { 'ameide.io/pool': ENVIRONMENT.pool },
              tolerations: [{ key: 'ameide.io/environment', value: ENVIRONMENT.name, effect: 'NoSchedule' }],
              containers: [
                {
                  name: 'bootstrap',
                  image: 'mcr.microsoft.com/azure-cli:2.77.0',
                  env: [{ name: 'AZURE_KEYVAULT_NAME', value: `${NAMESPACE}-kv` }],
                },
              ],
            },
          },
        },
      });
      const object = {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        namespace: NAMESPACE,
        name: 'foundation-vault-bootstrap-vault-bootstrap',
      };
      return {
        roots: [
          {
            object,
            field: 'metadata.annotations["azure.workload.identity/client-id"]',
            value: null,
            outside:
              'federated credential for ' +
              `system:serviceaccount:${NAMESPACE}:foundation-vault-bootstrap-vault-bootstrap`,
          },
        ],
        applications: [],
        signs: [
          { object: podRef('foundation-vault-bootstrap-by-hand-*'), log: 'AADSTS70021' },
          {
            object: {
              apiVersion: 'batch/v1',
              kind: 'Job',
              namespace: NAMESPACE,
              name: 'foundation-vault-bootstrap-by-hand',
            },
            shows: { status: { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] } },
          },
        ],
      };
    },
  },
  {
    name: 'cluster-store-that-refuses-the-namespace',
    because: 'a store of the cluster may not be used from this namespace',
    inject(scene) {
      const name = scene.service();
      const store = scene.apply({
        apiVersion: 'external-secrets.io/v1',
        kind: 'ClusterSecretStore',
        metadata: { name: 'shared-vault' },
        spec: {
          conditions: [{ namespaces: ['platform-only'] }],
          provider: {
            vault: {
              server: `http://foundation-vault-core.${NAMESPACE}.svc.cluster.local:8200`,
              path: 'secret',
              version: 'v2',
              auth: {
                kubernetes: {
                  mountPath: 'kubernetes',
                  role: 'external-secrets',
                  serviceAccountRef: { name: 'default', namespace: NAMESPACE },
                },
              },
            },
          },
        },
      });
      scene.play(20);
      const file = scene.plain(name, 'secret', {
        spec: { secretStoreRef: { name: 'shared-vault', kind: 'ClusterSecretStore' } },
      });
      const { roots, ...injection } = oneSecretFails(
        scene,
        name,
        { field: 'spec.secretStoreRef.name', value: 'shared-vault', file },
        'denied by spec.condition',
      );
      return {
        ...injection,
        roots: [
          {
            object: store,
            field: 'spec.conditions[0].namespaces',
            value: ['platform-only'],
            also: roots.map(({ object }) => object),
            file,
          },
        ],
      };
    },
  },
  {
    name: 'vault-that-nobody-initialised',
    because: 'Vault lost its volume, and the job that initialises it is suspended',
    isBroad: true,
    inject(scene) {
      const file = scene.edit('sources/values/_shared/foundation/vault-bootstrap.yaml', { suspend: true });
      scene.play(30);
      scene.remove({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: NAMESPACE,
        name: 'data-foundation-vault-core-0',
      });
      scene.remove(VAULT);
      return storeFails(
        scene,
        {
          object: VAULT,
          field: 'metadata.labels.vault-initialized',
          value: 'false',
          also: [
            {
              apiVersion: 'batch/v1',
              kind: 'CronJob',
              namespace: NAMESPACE,
              name: 'foundation-vault-bootstrap-vault-bootstrap',
            },
          ],
          file,
        },
        'Vault is sealed',
        [app('vault-core', 'foundation')],
      );
    },
  },
];
