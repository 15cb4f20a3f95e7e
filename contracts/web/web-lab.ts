import { join } from 'node:path';
import type { Cluster } from '../../src/cluster/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { GitRepository } from '../harness/git-repository.js';
import { startArgosy, type ArgosyUp } from './argosy-up.js';
import { APPLICATIONS, CONFIG_MAPS, NAMESPACES, PODS } from '../../src/model/resources/index.js';

/** What stands in the repository, and whether it is delivered without being asked. */
const APPS: Readonly<
  Record<string, { readonly isAutomated: boolean; readonly helm?: { readonly valueFiles: string[] } }>
> = {
  pipeline: { isAutomated: true },
  shop: { isAutomated: false },
  orders: { isAutomated: true },
  evaluation: { isAutomated: true },
  store: { isAutomated: true, helm: { valueFiles: ['values-prod.yaml'] } },
};

export interface WebLab extends ArgosyUp {
  readonly repository: GitRepository;
}

/**
 * Argosy with five applications from a repository of their own: one waits, one is broken, one failed, one is to be
 * synced by hand, one is well.
 */
export async function openWebLab(): Promise<WebLab> {
  const [argosy, repository] = await Promise.all([
    startArgosy(['--no-demo', '--runtime', 'process', '--process-image', 'tools:*']),
    GitRepository.open(join(import.meta.dirname, 'repository'), Object.keys(APPS), (text) => text),
  ]);
  for (const name of Object.keys(APPS)) {
    await argosy.cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await argosy.cluster.create(APPLICATIONS, application(name, repository.url));
  }
  return {
    ...argosy,
    repository,
    close: async () => {
      try {
        await argosy.close();
      } finally {
        await repository.close();
      }
    },
  };
}

function application(name: string, repoURL: string): KubeObject {
  const { isAutomated, helm } = APPS[name] ?? { isAutomated: false };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { namespace: 'argocd', name },
    spec: {
      project: 'default',
      source: { repoURL, path: name, targetRevision: 'master', ...(helm === undefined ? {} : { helm }) },
      destination: { server: 'https://kubernetes.default.svc', namespace: name },
      ...(isAutomated ? { syncPolicy: { automated: {} } } : {}),
    },
  };
}

/** A pod of the store that runs, for people who want to look around in it, and the leave to do so. */
export async function startTools(cluster: Cluster): Promise<void> {
  const settings = await cluster.get(CONFIG_MAPS, { namespace: 'store', name: 'store' });
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'store', uid: settings?.metadata.uid ?? '' };
  await cluster.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'store', name: 'tools', ownerReferences: [owner] },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: 'tools:1', command: ['sleep', '3600'] }],
    },
  });
  await cluster.apply(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'argocd', name: 'argocd-cm' },
    data: { 'exec.enabled': 'true' },
  });
}

/** Somebody changes a setting of the shop by hand. */
export async function editSettings(cluster: Cluster): Promise<void> {
  await cluster.patch(
    CONFIG_MAPS,
    { namespace: 'shop', name: 'settings' },
    { type: 'merge', body: { data: { greeting: 'changed by hand' } } },
  );
}
