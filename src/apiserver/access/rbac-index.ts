import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Store } from '../store/index.js';
import type { RbacSource } from './rbac.js';

const KINDS = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'] as const;
type Kind = (typeof KINDS)[number];

/** RBAC objects kept parsed and by namespace, because every request asks for them. */
export class RbacIndex implements RbacSource {
  readonly #objects: Record<Kind, Map<string, Map<string, KubeObject>>> = {
    roles: new Map(),
    rolebindings: new Map(),
    clusterroles: new Map(),
    clusterrolebindings: new Map(),
  };
  readonly #watches: { close(): void }[];

  constructor(store: Store) {
    this.#watches = KINDS.map((kind) => {
      const prefix = `/registry/rbac.authorization.k8s.io/${kind}/`;
      for (const { object } of store.range(prefix)) this.#set(kind, object);
      return store.watch(prefix, store.revision, ({ type, current }) => {
        if (type === 'DELETED')
          this.#objects[kind].get(current.object.metadata.namespace ?? '')?.delete(current.object.metadata.name ?? '');
        else this.#set(kind, current.object);
      });
    });
  }

  #set(kind: Kind, object: KubeObject): void {
    const { namespace = '', name = '' } = object.metadata;
    const known = this.#objects[kind].get(namespace) ?? new Map<string, KubeObject>();
    known.set(name, object);
    this.#objects[kind].set(namespace, known);
  }

  #all(kind: Kind, namespace: string): KubeObject[] {
    return [...(this.#objects[kind].get(namespace)?.values() ?? [])];
  }

  roles(namespace: string): KubeObject[] {
    return this.#all('roles', namespace);
  }

  role(namespace: string, name: string): KubeObject | undefined {
    return this.#objects.roles.get(namespace)?.get(name);
  }

  clusterRole(name: string): KubeObject | undefined {
    return this.#objects.clusterroles.get('')?.get(name);
  }

  roleBindings(namespace: string): KubeObject[] {
    return this.#all('rolebindings', namespace);
  }

  clusterRoleBindings(): KubeObject[] {
    return this.#all('clusterrolebindings', '');
  }

  close(): void {
    for (const watch of this.#watches) watch.close();
  }
}
