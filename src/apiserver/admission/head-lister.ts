import type { KubeObject } from '../../model/kubernetes/index.js';
import { fromStored, keyFor, prefixOf, type RestContext, type AdmissionRequest } from '../rest/index.js';
import type { ResourceType } from '../resources/index.js';

/** Which resource: group and plural. */
type Resource = readonly [group: string, plural: string];

/** The newest state of the world, with writes that are still on their way: what an admission decision must rest on. */
export interface HeadLister {
  get(of: Resource, namespace: string, name: string): KubeObject | undefined;
  /** In one namespace, or everywhere. */
  list(of: Resource, namespace?: string): KubeObject[];
}

export function headLister({ store, types }: RestContext): HeadLister {
  let generation = 0;
  const known = new Map<string, ResourceType | undefined>();
  const typeOf = ([group, plural]: Resource): ResourceType | undefined => {
    if (generation !== types.generation) known.clear();
    generation = types.generation;
    const id = `${plural}.${group}`;
    if (!known.has(id)) known.set(id, types.preferred(group, plural));
    return known.get(id);
  };
  return {
    get(of, namespace, name) {
      const type = typeOf(of);
      const stored = type && store.head(keyFor(type, namespace, name));
      return stored && fromStored(type, stored);
    },
    list(of, namespace = '') {
      const type = typeOf(of);
      return type ? store.heads(prefixOf(type, namespace)).map((stored) => fromStored(type, stored)) : [];
    },
  };
}

/** Is the request about this resource itself (or the named subresource of it)? */
export function isAbout({ type, subresource }: AdmissionRequest, group: string, plural: string, wanted = ''): boolean {
  return type.plural === plural && type.group === group && subresource === wanted;
}
