import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { vaultKeys, type Component } from './component.js';
import { draw } from './draw.js';
import { POOL_LABEL, TAINT, type Environment } from './environments.js';
import { clientIdOf, keyVaultOf } from './repository-files.js';

/** Pods that a component has at most, on the average, and those that fit on a node. */
const PODS_PER_COMPONENT = 2.5;
const PODS_PER_NODE = 100;

/**
 * What must be there before the fleet and is not in its repository: nodes, namespaces, and the secrets in Azure with
 * the credentials that open them.
 */
export function makeOutside(
  environments: readonly Environment[],
  components: readonly Component[],
  seed: number,
): KubeObject[] {
  const namespaces = [
    'argocd',
    'azure',
    'cert-manager',
    'external-secrets',
    'kserve',
    ...environments.map(({ namespace }) => namespace),
  ];
  const keys = [...new Set(components.flatMap(vaultKeys))].sort();
  const needed = Math.ceil((components.length * PODS_PER_COMPONENT) / PODS_PER_NODE);
  return [
    ...namespaces.map((name): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    ...nodes('system', 2, { key: 'CriticalAddonsOnly', value: 'true' }, seed),
    ...environments.flatMap(({ name, pool }) =>
      nodes(pool, Math.max(needed, name === 'production' ? 3 : 1), { key: TAINT, value: name }, seed),
    ),
    ...environments.flatMap((environment) => azure(environment, keys, seed)),
  ];
}

function nodes(
  pool: string,
  count: number,
  taint: { readonly key: string; readonly value: string },
  seed: number,
): KubeObject[] {
  const set = String(10_000_000 + Math.floor(draw(seed, 'pool', pool) * 89_999_999));
  return Array.from({ length: count }, (_, index): KubeObject => {
    const name = `aks-${pool}-${set}-vmss${index.toString(36).padStart(6, '0')}`;
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', agentpool: pool, [POOL_LABEL]: pool },
      },
      spec: { taints: [{ ...taint, effect: 'NoSchedule' }] },
      status: {
        capacity: { cpu: '4', memory: '16Gi', pods: '110' },
        allocatable: { cpu: '3800m', memory: '14Gi', pods: '110' },
      },
    };
  });
}

/** The contents are not secret: they are made of the seed. */
function azure(environment: Environment, keys: readonly string[], seed: number): KubeObject[] {
  const vault = keyVaultOf(environment);
  const contents = Object.fromEntries(
    keys.map((key) => [
      key,
      key === 'ghcr-dockerconfig'
        ? DOCKER_CONFIG
        : `${key}-${Math.floor(draw(seed, environment.name, key) * 2 ** 32).toString(36)}`,
    ]),
  );
  const subject = `system:serviceaccount:${environment.namespace}:foundation-vault-bootstrap-vault-bootstrap`;
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: vault, namespace: 'azure', labels: { 'world.argosy.dev/azure-kv': vault } },
      stringData: contents,
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `vault-bootstrap-${environment.name}`,
        namespace: 'azure',
        labels: { 'world.argosy.dev/azure': 'federated-credential' },
      },
      data: { clientId: clientIdOf(environment), subject },
    },
  ];
}

const DOCKER_CONFIG = JSON.stringify({
  auths: {
    'ghcr.io': {
      username: 'robot',
      password: 'not-a-real-one',
      auth: Buffer.from('robot:not-a-real-one').toString('base64'),
    },
  },
});
