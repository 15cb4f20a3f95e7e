import type { Environment } from '../../fleet/index.js';

/**
 * Where the applications of a fault world run. Every name here is a word of its own, so that a world can be told with
 * other names.
 */
export const ENVIRONMENT: Environment = { name: 'brook', namespace: 'ameide-brook', pool: 'brook', imageTag: 'steady' };
export const NAMESPACE = ENVIRONMENT.namespace;

/** What lies outside of the cluster is told in this namespace, which no snapshot has. */
export const OUTSIDE = 'argosy-world';

/** The components of the generated fleet that a fault world has: enough for every kind of fault, and no more. */
export const COMPONENTS = [
  'vault-core',
  'vault-bootstrap',
  'vault-secret-store',
  'ghcr-pull-secret',
  'certificates',
  'minio',
  'grafana',
  'transformation',
  'loki',
  'plausible',
  'agents',
  'graph',
  'inference-gateway',
  'threads',
  'plausible-seed',
  'redis',
  'alertmanager',
  'otel-collector',
  'external-dns',
  'embeddings',
  'postgres-clusters',
] as const;

/** Applications of the same shape, each with a Deployment; what is wrong with one of them could be wrong with any. */
export const SERVICES = ['basket', 'tills', 'parcels', 'quotes', 'tickets', 'wallets'] as const;

export const PLACEMENT = {
  nodeSelector: { 'ameide.io/pool': ENVIRONMENT.pool },
  tolerations: [{ key: 'ameide.io/environment', value: ENVIRONMENT.name, effect: 'NoSchedule' }],
};

/** The only node of the environment; its name is made of the fleet's seed. */
export const NODE = 'aks-brook-86784999-vmss000000';
