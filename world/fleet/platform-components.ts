import type { JsonObject } from '../../src/model/json/index.js';
import { fromVault, type Component, type Domain } from './component.js';

const helm = (
  domain: Domain,
  name: string,
  chart: string,
  values: JsonObject = {},
  keys: readonly string[] = [],
): Component => ({ domain, name, source: { kind: 'helm', chart }, values, keys });
const kustomize = (domain: Domain, name: string, content: 'service' | 'config'): Component => ({
  domain,
  name,
  source: { kind: 'kustomize', content },
  values: {},
});

const WEB = 'apps/web-service';
const STATEFUL = 'platform/stateful-service';

/** An application of the team: named as it is, without its domain. */
const app = (name: string, values: JsonObject = {}): Component =>
  helm('apps', name, WEB, { fullnameOverride: name, ...values });

/** Those whose shared values once had empty tolerations, which hid the ones of their environment. */
export const ONCE_UNPLACED = [
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

/** Those of them that talk to others with a key. */
const WITH_KEY = ['agents', 'inference-gateway', 'www-ameide-platform'];
const secretsOf = (name: string): JsonObject =>
  WITH_KEY.includes(name) ? { secrets: [fromVault(`${name}-credentials`, { API_KEY: `${name}-api-key` })] } : {};

/**
 * The components that everybody knows by name. A small fleet has the first of them, so what others need stands before
 * them: secrets, then certificates, data, the platform and the applications.
 */
export const PLATFORM: readonly Component[] = [
  helm('foundation', 'vault-core', 'foundation/vault'),
  helm('foundation', 'vault-bootstrap', 'foundation/vault-bootstrap'),
  helm('foundation', 'vault-secret-store', 'foundation/vault-secret-store', {}, ['secrets-smoke']),
  helm('foundation', 'ghcr-pull-secret', 'foundation/external-secret-set', {
    secrets: [
      {
        ...fromVault('ghcr-pull-secret', { '.dockerconfigjson': 'ghcr-dockerconfig' }),
        type: 'kubernetes.io/dockerconfigjson',
      },
    ],
  }),
  helm('foundation', 'certificates', 'foundation/certificates', {
    certificates: [{ name: 'gateway' }, { name: 'auth' }],
  }),
  helm('data', 'minio', WEB, {
    image: { repository: 'quay.io/minio/minio', tag: 'RELEASE.2025-09-07T16-13-09Z' },
    port: 9000,
    secrets: [
      fromVault('minio-root-credentials', { rootUser: 'minio-root-user', rootPassword: 'minio-root-password' }),
    ],
  }),
  helm('platform', 'grafana', WEB, {
    image: { repository: 'docker.io/grafana/grafana', tag: '12.2.0' },
    port: 3000,
    secrets: [
      fromVault('grafana-admin-credentials', {
        'admin-user': 'grafana-admin-user',
        'admin-password': 'grafana-admin-password',
      }),
    ],
    route: { enabled: true },
  }),
  app('transformation', { image: { repository: 'ghcr.io/ameideio/transformation', pullPolicy: 'Always' } }),
  helm('platform', 'postgres-clusters', 'data/postgres-cluster', {
    fullnameOverride: 'postgres-ameide',
    database: 'ameide',
  }),
  helm('data', 'kafka-cluster', 'data/kafka-cluster', { fullnameOverride: 'kafka', topics: ['events', 'audit'] }),
  helm('data', 'clickhouse', 'data/clickhouse', { fullnameOverride: 'clickhouse' }),
  helm('platform', 'loki', STATEFUL, {
    image: { repository: 'docker.io/grafana/loki', tag: '3.5.7' },
    port: 3100,
    claim: { name: 'storage', size: '10Gi' },
    secrets: [fromVault('loki-object-storage', { accessKey: 'loki-access-key', secretKey: 'loki-secret-key' })],
  }),
  helm('platform', 'keycloak', 'platform/keycloak', {}, ['keycloak-database-username', 'keycloak-database-password']),
  helm('platform', 'keycloak-realm', 'platform/keycloak-realm', {
    clientPatcher: {
      secretExtraction: {
        clients: [
          { clientId: 'argocd', vaultKey: 'argocd-dex-client-secret' },
          { clientId: 'grafana', vaultKey: 'grafana-client-secret' },
        ],
      },
    },
  }),
  helm('data', 'temporal', 'data/temporal-cluster', {}, ['temporal-database-password']),
  helm('data', 'temporal-namespace-bootstrap', 'data/temporal-namespaces', {
    fullnameOverride: 'temporal',
    namespaces: ['default', 'workflows'],
  }),
  helm('platform', 'prometheus', STATEFUL, {
    image: { repository: 'quay.io/prometheus/prometheus', tag: 'v3.5.0' },
    secrets: [fromVault('prometheus-remote-write', { password: 'prometheus-remote-write-password' })],
  }),
  helm('platform', 'envoy-gateway', WEB, {
    image: { repository: 'docker.io/envoyproxy/gateway', tag: 'v1.5.3' },
    replicas: 2,
    disruptionBudget: { enabled: true },
    secrets: [fromVault('envoy-oidc-client', { 'client-secret': 'envoy-oidc-client-secret' })],
  }),
  kustomize('foundation', 'coredns-config', 'config'),
  kustomize('foundation', 'cnpg-monitoring', 'config'),
  helm('data', 'pgadmin', WEB, {
    fullnameOverride: 'pgadmin',
    image: { repository: 'docker.io/dpage/pgadmin4', tag: '9.8' },
    port: 8080,
    secrets: [fromVault('pgadmin-bootstrap-credentials', { email: 'pgadmin-email', password: 'pgadmin-password' })],
  }),
  helm('apps', 'plausible', WEB, {
    fullnameOverride: 'plausible-plausible',
    image: { repository: 'ghcr.io/plausible/community-edition', tag: 'v3.1.0' },
    port: 8000,
    secrets: [fromVault('plausible-secret', { SECRET_KEY_BASE: 'plausible-secret-key-base' })],
  }),
  ...ONCE_UNPLACED.map((name) =>
    app(name, {
      ...(name.startsWith('www-') ? { route: { enabled: true }, replicas: 2 } : { config: { LOG_LEVEL: 'info' } }),
      ...secretsOf(name),
    }),
  ),
  helm('apps', 'plausible-seed', 'platform/scheduled-job', {
    fullnameOverride: 'plausible-seed',
    schedule: '5 4 * * *',
  }),
  helm('data', 'redis', STATEFUL, {
    image: { repository: 'docker.io/valkey/valkey', tag: '8.1' },
    port: 6379,
    secrets: [fromVault('redis-credentials', { password: 'redis-password' })],
  }),
  helm('data', 'opensearch', STATEFUL, {
    image: { repository: 'docker.io/opensearchproject/opensearch', tag: '3.2.0' },
    port: 9200,
    claim: { name: 'data', size: '30Gi' },
    secrets: [fromVault('opensearch-admin', { password: 'opensearch-admin-password' })],
  }),
  helm('data', 'neo4j', STATEFUL, {
    image: { repository: 'docker.io/library/neo4j', tag: '2025.09' },
    port: 7474,
    secrets: [fromVault('neo4j-auth', { password: 'neo4j-password' })],
  }),
  helm('platform', 'gitea', 'platform/gitea', { fullnameOverride: 'gitea' }),
  helm('platform', 'alertmanager', STATEFUL, {
    image: { repository: 'quay.io/prometheus/alertmanager', tag: 'v0.28.1' },
    port: 9093,
    claim: { name: 'data', size: '1Gi' },
  }),
  helm('platform', 'tempo', STATEFUL, { image: { repository: 'docker.io/grafana/tempo', tag: '2.8.2' }, port: 3200 }),
  kustomize('platform', 'otel-collector', 'service'),
  kustomize('platform', 'external-dns', 'service'),
  kustomize('platform', 'certificate-exporter', 'service'),
  helm('apps', 'embeddings', 'ml/inference-service', { fullnameOverride: 'embeddings' }),
  helm('apps', 'reranker', 'ml/inference-service', { fullnameOverride: 'reranker', format: 'onnx' }),
  helm('apps', 'model-training', 'ml/notebook-validation', { fullnameOverride: 'model-training' }),
  helm('apps', 'document-conversion', 'ml/document-conversion', { fullnameOverride: 'document-conversion' }),
];
