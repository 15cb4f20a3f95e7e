import type { KubeObject } from '../../model/index.js';
import { fromStored, keyFor, prefixOf, type RestContext } from '../rest/context.js';
import type { AdmissionRequest } from './admission.js';

/** Which resource: group and plural. */
type Resource = readonly [group: string, plural: string];

/** The newest state of the world, with writes that are still on their way: what an admission decision must rest on. */
export interface Newest {
  get(of: Resource, namespace: string, name: string): KubeObject | undefined;
  /** In one namespace, or everywhere. */
  list(of: Resource, namespace?: string): KubeObject[];
}

export function newestOf({ store, types }: RestContext): Newest {
  return {
    get([group, plural], namespace, name) {
      const type = types.preferred(group, plural);
      const stored = type && store.head(keyFor(type, namespace, name));
      return stored && fromStored(type, stored);
    },
    list([group, plural], namespace = '') {
      const type = types.preferred(group, plural);
      return type ? store.heads(prefixOf(type, namespace)).map((stored) => fromStored(type, stored)) : [];
    },
  };
}

/** Is the request about this resource itself (or the named subresource of it)? */
export function isAbout({ type, subresource }: AdmissionRequest, group: string, plural: string, wanted = ''): boolean {
  return type.plural === plural && type.group === group && subresource === wanted;
}
