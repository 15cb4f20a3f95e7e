import { isObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { WatchCache, type Cluster, type ClientDependencies } from '../../cluster/index.js';
import { DEPLOYMENTS } from '../../model/resources/index.js';

/** How Argo CD's own operators are called, from OperatorHub and from OpenShift GitOps in its versions. */
const NAMES = [
  'argocd-operator-controller-manager',
  'openshift-gitops-operator-controller-manager',
  'openshift-gitops-operator',
];

/** Detects a running Argo CD operator in this cluster: then it writes the settings, and we do not. */
export class OtherOperator {
  readonly #caches: readonly WatchCache[];

  constructor(cluster: Cluster, world: ClientDependencies, onChange: () => void) {
    this.#caches = NAMES.map(
      (name) => new WatchCache(cluster, DEPLOYMENTS, world, { fieldSelector: `metadata.name=${name}` }),
    );
    for (const cache of this.#caches) cache.subscribe(onChange);
  }

  async waitForSync(): Promise<void> {
    await Promise.all(this.#caches.map((cache) => cache.waitForSync()));
  }

  /** Where one runs; undefined where none does, or none can be seen. */
  get running(): string | undefined {
    const found = this.#caches.flatMap((cache) => cache.list()).find(isReady);
    return found === undefined
      ? undefined
      : `Deployment ${found.metadata.namespace ?? ''}/${found.metadata.name ?? ''}`;
  }

  close(): void {
    for (const cache of this.#caches) cache.close();
  }
}

function isReady({ status }: KubeObject): boolean {
  return isObject(status) && typeof status.readyReplicas === 'number' && status.readyReplicas > 0;
}
