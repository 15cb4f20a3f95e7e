import { fromJson, toJson } from '../../../src/apiserver/cel/index.js';
import { evaluate } from '../../../src/apiserver/stages/expressions.js';
import { fill } from '../../../src/apiserver/stages/templates.js';
import type { View } from '../../../src/apiserver/stages/view.js';
import { isArray, isObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import type { ComputedKind, Mirror } from './mirror.js';

/**
 * A view as controllers in this process read it. Clients of the real server do not see it: an API that computes its
 * answers is a server of its own there.
 */
export function computedKind({ type, of, each, object }: View): ComputedKind {
  const objectsOf = (self: KubeObject): KubeObject[] => {
    const values = new Map([['self', fromJson(self)]]);
    const items = toJson(evaluate(each, values));
    if (!isArray(items)) return [];
    return items
      .map((item) => fill(object, { values: new Map([...values, ['item', fromJson(item)]]) }))
      .filter(isObject)
      .map((made) => ({
        ...made,
        apiVersion: type.storedApiVersion,
        kind: type.kind,
        metadata: { ...(isObject(made.metadata) ? made.metadata : {}), namespace: self.metadata.namespace ?? '' },
      })) as KubeObject[];
  };
  return {
    of: { group: type.group, plural: type.plural },
    objects(mirror: Mirror) {
      const source = mirror.served(of.group, of.kind);
      return source === undefined ? [] : mirror.list(source).flatMap(objectsOf);
    },
  };
}

/** Discovery and rights know the kind; that it has no objects is all that clients of the real server see of it. */
export function definitionOf({ type }: View): KubeObject {
  const { group, plural, kind, singular, namespaced } = type;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { plural, kind, singular, listKind: `${kind}List` },
      versions: [
        {
          name: type.storedApiVersion.split('/').at(-1) ?? '',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}

/** Groups of Kubernetes itself take no definitions of strangers. */
export function isDefinable({ type: { group } }: View): boolean {
  return !group.endsWith('.k8s.io');
}
