import type { Injector } from '../injection/injector.js';
import { NAMESPACE } from '../injection/names.js';
import { app, statefulSetRef } from '../injection/object-refs.js';
import { editStore, STORE, storeFails, VAULT } from './secret-signs.js';

export const SECRETS: readonly Injector[] = [
  {
    name: 'vault-sealed-by-a-restart',
    because: 'Vault was started again and nobody gave it its key',
    isBroad: true,
    inject(scene) {
      scene.remove(VAULT);
      return storeFails(
        scene,
        { object: VAULT, field: 'metadata.labels.vault-sealed', value: 'true' },
        'Vault is sealed',
        [app('vault-core', 'foundation')],
      );
    },
  },
  {
    name: 'vault-refuses-the-role',
    because: 'the Kubernetes login of Vault does not take tokens of this cluster',
    isBroad: true,
    inject(scene) {
      scene.patch(statefulSetRef('foundation-vault-core'), {
        metadata: { annotations: { 'world.argosy.dev/vault-refuses': '*' } },
      });
      scene.patch(STORE, { metadata: { annotations: { 'force-refresh': '1' } } });
      return storeFails(
        scene,
        {
          object: STORE,
          field: 'spec.provider.vault.auth.kubernetes.role',
          value: 'external-secrets',
          outside: 'the Kubernetes auth method of Vault',
        },
        'permission denied',
      );
    },
  },
  {
    name: 'store-asks-a-host-of-another-namespace',
    because: 'the store asks for Vault in a namespace where there is none',
    isBroad: true,
    inject(scene) {
      const file = editStore(scene, '.{{ .Release.Namespace }}.svc.cluster.local', '.vault.svc.cluster.local');
      return storeFails(
        scene,
        {
          object: STORE,
          field: 'spec.provider.vault.server',
          value: 'http://foundation-vault-core.vault.svc.cluster.local:8200',
          file,
        },
        'no such host',
      );
    },
  },
  {
    name: 'store-asks-a-closed-port',
    because: 'the Service of Vault selects no pod any more',
    isBroad: true,
    inject(scene) {
      const object = { apiVersion: 'v1', kind: 'Service', namespace: NAMESPACE, name: 'foundation-vault-core' };
      const file = 'sources/charts/foundation/vault/templates/vault.yaml';
      const text = scene.text(file);
      const at = text.indexOf('kind: Service\n');
      scene.file(
        file,
        text.slice(0, at) + text.slice(at).replace(/selector:\n(\s+)/, 'selector:\n$1vault-tier: primary\n$1'),
      );
      return storeFails(
        scene,
        { object, field: 'spec.selector.vault-tier', value: 'primary', file },
        'connection refused',
      );
    },
  },
  {
    name: 'store-with-an-account-that-is-not-there',
    because: 'the store logs in with a ServiceAccount that nobody made',
    isBroad: true,
    inject(scene) {
      const file = editStore(scene, '            name: default\n', '            name: secret-reader\n');
      return storeFails(
        scene,
        {
          object: STORE,
          field: 'spec.provider.vault.auth.kubernetes.serviceAccountRef.name',
          value: 'secret-reader',
          file,
        },
        'cannot get Kubernetes service account',
      );
    },
  },
];
