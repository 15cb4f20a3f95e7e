import { join } from 'node:path';
import { installCrds, readCrds } from '../../src/control/index.js';
import { isArray, isObject, own, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { CANARIES, GIT_USER, type CanaryLab } from './canary-lab.js';
import {
  APPLICATIONS,
  ARGOCDS,
  BUILDS,
  CONFIG_MAPS,
  NAMESPACES,
  PODS,
  SECRETS,
  SERVICES,
  STATEFUL_SETS,
  type ResourceRef,
} from '../../src/model/resources/index.js';

const WORLD = join(import.meta.dirname, '../../world/controllers');
const GITEAS: ResourceRef = { group: 'pfe.rhpds.com', version: 'v1', kind: 'Gitea', plural: 'gitea', namespaced: true };
const STORES: ResourceRef = {
  group: 'external-secrets.io',
  version: 'v1',
  kind: 'SecretStore',
  plural: 'secretstores',
  namespaced: true,
};
const EXTERNALS: ResourceRef = { ...STORES, kind: 'ExternalSecret', plural: 'externalsecrets' };
const GITEA = { namespace: 'gitea', name: 'gitea-with-admin' };
const VAULT_KEY = 'argocd-dex-client-secret';
const FIELDS = '[.spec.giteaAdminUser, .status.adminPassword]';
const RULES =
  `- {from: {group: pfe.rhpds.com, kind: Gitea, namespace: gitea, name: "*"}, fields: ${FIELDS}, to: ` +
  '{namespaces: [platform, argocd]}}';
const FILL_REQUEST =
  `{object: {group: pfe.rhpds.com, kind: Gitea, namespace: ${GITEA.namespace}, name: ${GITEA.name}}, keys: ` +
  '{username: .spec.giteaAdminUser, password: .status.adminPassword}}';

/** Secrets that may have one of the values, in their data. */
export const ALLOWED_PLACES = {
  secrets: [
    'platform/gitea-credentials-source',
    'argocd/platform-repository',
    'ml/model-storage',
    'argocd/argocd-secret',
    'vault/kv',
  ],
  gitea: `${GITEA.namespace}/${GITEA.name}`,
};

const FILLED =
  'apiVersion: v1\nkind: Secret\nmetadata: {name: gitea-credentials-source, annotations: ' +
  `{argosy.dev/fill-from: '${FILL_REQUEST}'}}\n`;
const notes = (text: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\ndata: {text: ${text}}\n`;
const build = (uri: string): string => `apiVersion: image.openshift.io/v1
kind: ImageStream
metadata: {name: validator}
---
apiVersion: build.openshift.io/v1
kind: BuildConfig
metadata: {name: validator, annotations: {world.argosy.dev/build-takes: 1s, argocd.argoproj.io/sync-wave: "1"}}
spec:
  source:
    type: Git
    git: {uri: ${uri}, ref: master}
    contextDir: image
    sourceSecret: {name: gitea-credentials-source}
  strategy: {type: Docker, dockerStrategy: {}}
  output: {to: {kind: ImageStreamTag, name: "validator:latest"}}
  triggers: [{type: ConfigChange}]
`;

/** How each credential gets to where it is needed, one step after the other. */
export class CanaryChain {
  constructor(
    readonly lab: CanaryLab,
    readonly isReal: boolean,
  ) {}

  async open(): Promise<void> {
    const { cluster, repository, urls } = this.lab;
    if (this.isReal) {
      await installCrds(cluster, await readCrds(join(WORLD, 'gitea'), ['crds.yaml']));
      await installCrds(cluster, await readCrds(join(WORLD, 'external-secrets'), ['crds.yaml']));
    }
    for (const name of ['gitea', 'platform', 'ml', 'vault'])
      await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await repository.write('platform/credentials.yaml', FILLED);
    await repository.write('platform/notes.yaml', notes('one'));
    if (!this.isReal) await repository.write('platform/build.yaml', build(urls.git));
    await repository.write('image/Dockerfile', 'FROM scratch\n');
    await repository.write(
      'storage/secret.yaml',
      'apiVersion: v1\nkind: Secret\nmetadata: {name: model-storage}\nstringData: {key: to be replaced}\n',
    );
    await repository.commit();
    await cluster.create(GITEAS, {
      apiVersion: 'pfe.rhpds.com/v1',
      kind: 'Gitea',
      metadata: GITEA,
      spec: { giteaSsl: true, giteaAdminUser: GIT_USER, giteaAdminEmail: 'admin@example.com' },
    });
    await this.publishPassword(CANARIES.gitea.value);
    await cluster.apply(
      CONFIG_MAPS,
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'argocd-cmd-params-cm',
          namespace: 'argocd',
          labels: { 'app.kubernetes.io/part-of': 'argocd' },
        },
        data: { 'argosy.fill-from': RULES },
      },
      { force: true },
    );
  }

  /** As Gitea's operator does it. */
  async publishPassword(adminPassword: string): Promise<void> {
    await this.lab.cluster.patch(
      GITEAS,
      GITEA,
      { type: 'merge', body: { status: { adminPassword } } },
      { subresource: 'status' },
    );
  }

  async value(namespace: string, name: string, key: string): Promise<string> {
    const data = (await this.lab.cluster.get(SECRETS, { namespace, name }))?.data;
    const stored = isObject(data) ? own(data, key) : undefined;
    return typeof stored === 'string' ? Buffer.from(stored, 'base64').toString() : '';
  }

  async application(name: string, namespace: string, syncPolicy: JsonObject): Promise<void> {
    await this.lab.cluster.create(APPLICATIONS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name, namespace: 'argocd' },
      spec: {
        project: 'default',
        source: { repoURL: this.lab.urls.git, path: name, targetRevision: 'master' },
        destination: { server: 'https://kubernetes.default.svc', namespace },
        syncPolicy,
      },
    });
  }

  untilStatus(name: string, holds: (status: JsonObject) => boolean): Promise<KubeObject> {
    return this.lab.until(`${name} is as it should be`, async () => {
      const application = await this.lab.cluster.get(APPLICATIONS, { namespace: 'argocd', name });
      return application !== undefined && holds(isObject(application.status) ? application.status : {}) && application;
    });
  }

  /** Nobody may read the repository; then a Secret that is filled from Gitea opens it, and a build uses the other. */
  async openRepository(): Promise<void> {
    const { cluster, urls } = this.lab;
    await this.application('platform', 'platform', { automated: { selfHeal: true } });
    await this.untilStatus('platform', ({ conditions }) =>
      JSON.stringify(conditions ?? '').includes('ComparisonError'),
    );
    await cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'platform-repository',
        namespace: 'argocd',
        labels: { 'argocd.argoproj.io/secret-type': 'repository' },
        annotations: { 'argosy.dev/fill-from': FILL_REQUEST },
      },
      stringData: { type: 'git', url: urls.git },
    });
    await this.untilStatus('platform', isWell);
    await this.lab.until(
      'the Secret of the application is filled',
      async () => (await this.value('platform', 'gitea-credentials-source', 'password')) === CANARIES.gitea.value,
    );
    if (!this.isReal)
      await this.lab.until('the build is over', async () =>
        (await cluster.list(BUILDS, { namespace: 'platform' })).items.some(
          ({ status }) => isObject(status) && status.phase === 'Complete',
        ),
      );
  }

  /** The password is another one: the repository is closed until Gitea says so. */
  async rotate(): Promise<string> {
    const { git, repository, cluster } = this.lab;
    if (this.lab.refused.logins > 0) throw new Error('the first password was refused');
    git.setPassword(GIT_USER, CANARIES.rotated.value);
    await repository.write('platform/notes.yaml', notes('two'));
    const revision = await repository.commit();
    await cluster.patch(
      APPLICATIONS,
      { namespace: 'argocd', name: 'platform' },
      { type: 'merge', body: { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'hard' } } } },
    );
    await this.lab.until('the old password is refused', () => Promise.resolve(this.lab.refused.logins > 0));
    await this.untilStatus('platform', ({ conditions }) =>
      JSON.stringify(conditions ?? '').includes('ComparisonError'),
    );
    await this.publishPassword(CANARIES.rotated.value);
    await this.untilStatus(
      'platform',
      (status) => isWell(status) && isObject(status.sync) && status.sync.revision === revision,
    );
    await this.lab.until(
      'the Secret of the application follows',
      async () => (await this.value('platform', 'gitea-credentials-source', 'password')) === CANARIES.rotated.value,
    );
    return revision;
  }

  /** What Vault has comes into argocd-secret, and the settings name it. */
  async bringClientSecret(): Promise<void> {
    const { cluster } = this.lab;
    const { value } = await this.lab.vault(VAULT_KEY);
    await cluster.apply(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'argocd-secret', namespace: 'argocd', labels: { 'app.kubernetes.io/part-of': 'argocd' } },
    });
    if (!this.isReal) await this.startVaultOfTheWorld(String(value));
    await cluster.create(STORES, {
      apiVersion: 'external-secrets.io/v1',
      kind: 'SecretStore',
      metadata: { name: 'vault', namespace: 'argocd' },
      spec: {
        provider: {
          vault: {
            server: 'http://vault.vault.svc.cluster.local:8200',
            path: 'secret',
            version: 'v2',
            auth: {
              kubernetes: { mountPath: 'kubernetes', role: 'external-secrets', serviceAccountRef: { name: 'default' } },
            },
          },
        },
      },
    });
    await cluster.create(EXTERNALS, {
      apiVersion: 'external-secrets.io/v1',
      kind: 'ExternalSecret',
      metadata: { name: VAULT_KEY, namespace: 'argocd' },
      spec: {
        refreshInterval: '1h',
        secretStoreRef: { kind: 'SecretStore', name: 'vault' },
        target: { name: 'argocd-secret', creationPolicy: 'Merge' },
        data: [{ secretKey: 'dex.keycloak.clientSecret', remoteRef: { key: VAULT_KEY, property: 'value' } }],
      },
    });
    // Nobody plays that operator beside the real server.
    if (this.isReal)
      await cluster.patch(
        SECRETS,
        { namespace: 'argocd', name: 'argocd-secret' },
        {
          type: 'merge',
          body: { data: { 'dex.keycloak.clientSecret': Buffer.from(String(value)).toString('base64') } },
        },
      );
    await this.lab.until(
      'argocd-secret has it',
      async () => (await this.value('argocd', 'argocd-secret', 'dex.keycloak.clientSecret')) === CANARIES.client.value,
    );
    await cluster.create(ARGOCDS, {
      apiVersion: 'argoproj.io/v1beta1',
      kind: 'ArgoCD',
      metadata: { name: 'gitops', namespace: 'argocd' },
      spec: {
        oidcConfig:
          'name: Keycloak\nissuer: https://keycloak.example.com/realms/ameide\nclientID: argocd\n' +
          'clientSecret: $dex.keycloak.clientSecret\n',
        cmdParams: { 'argosy.fill-from': RULES },
      },
    });
    await this.lab.until('the settings name it', async () =>
      JSON.stringify((await cluster.get(CONFIG_MAPS, { namespace: 'argocd', name: 'argocd-cm' }))?.data ?? {}).includes(
        '$dex.keycloak.clientSecret',
      ),
    );
  }

  /** The world's external-secrets asks a Vault of its cluster: one with the same under the same key. */
  private async startVaultOfTheWorld(value: string): Promise<void> {
    const { cluster } = this.lab;
    const labels = { 'app.kubernetes.io/name': 'vault' };
    await cluster.create(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'vault', namespace: 'vault' },
      spec: { publishNotReadyAddresses: true, selector: labels, ports: [{ port: 8200 }] },
    });
    await cluster.create(STATEFUL_SETS, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'vault', namespace: 'vault' },
      spec: {
        serviceName: 'vault',
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'vault', image: 'hashicorp/vault:1.20.4' }] } },
      },
    });
    await this.lab.until('Vault runs', async () => {
      const pod = await cluster.get(PODS, { namespace: 'vault', name: 'vault-0' });
      return isObject(pod?.status) && pod.status.phase === 'Running';
    });
    await cluster.patch(
      PODS,
      { namespace: 'vault', name: 'vault-0' },
      { type: 'merge', body: { metadata: { annotations: { 'world.argosy.dev/vault': 'ready' } } } },
    );
    await cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'kv',
        namespace: 'vault',
        labels: { 'world.argosy.dev/vault-kv': 'vault' },
        annotations: { 'world.argosy.dev/vault-path': `secret/${VAULT_KEY}` },
      },
      stringData: { value },
    });
  }
}

function isWell({ sync, conditions }: JsonObject): boolean {
  return isObject(sync) && sync.status === 'Synced' && !(isArray(conditions) && conditions.length > 0);
}
