import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ResourceName, WatchedObject } from '../rest/index.js';
import { ApiError } from '../errors/index.js';
import { maybe, text } from '../resources/index.js';
import {
  ownKey,
  reconciler,
  type Controller,
  type ControllerHost,
  type ObjectName,
} from '../controller-runtime/index.js';
import { NAMESPACES } from '../../model/resources/index.js';

/** Keeps one object in every namespace, and as it should be. */
export function inEveryNamespace({
  name,
  of,
  object,
  repair,
}: {
  readonly name: string;
  readonly of: ResourceName;
  readonly object: KubeObject;
  /** Puts back what somebody changed; undefined where changes are welcome. */
  readonly repair?: (live: KubeObject) => boolean;
}): Controller {
  return reconciler({
    name,
    watches: [
      { of: NAMESPACES, keys: (event) => (event.type === 'DELETED' ? [] : ownKey(event)) },
      { of, keys: (event) => (event.object.metadata.name === object.metadata.name ? inNamespaceOf(event) : []) },
    ],
    async reconcile({ name: namespace }, { client }: ControllerHost) {
      const owner = client.get(NAMESPACES, '', namespace);
      if (
        !owner ||
        owner.metadata.deletionTimestamp !== undefined ||
        text(maybe(owner, 'status'), 'phase') === 'Terminating'
      )
        return;
      const live = client.get(of, namespace, object.metadata.name ?? '');
      if (live) {
        if (repair) await client.edit(of, namespace, object.metadata.name ?? '', repair);
        return;
      }
      try {
        await client.create(of, { ...object, metadata: { ...object.metadata, namespace } });
      } catch (error) {
        // Another writer was first, or the namespace is going away.
        if (!(error instanceof ApiError) || !['AlreadyExists', 'Forbidden', 'NotFound'].includes(error.reason))
          throw error;
      }
    },
  });
}

function inNamespaceOf({ object }: WatchedObject): ObjectName[] {
  return [{ namespace: '', name: object.metadata.namespace ?? '' }];
}

/** Every namespace has a `default` account, which pods use that name no other. */
export const serviceAccountController = inEveryNamespace({
  name: 'service-account-controller',
  of: { group: '', plural: 'serviceaccounts' },
  object: { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'default' } },
});

const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as ' +
  'the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of ' +
  'Kubernetes clusters.';

/** Every namespace has the server's certificate authority, which pods mount beside their token. */
export function rootCaPublisher(authority: string): Controller {
  const data = { 'ca.crt': authority };
  return inEveryNamespace({
    name: 'root-ca-cert-publisher',
    of: { group: '', plural: 'configmaps' },
    object: {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'kube-root-ca.crt', annotations: { 'kubernetes.io/description': DESCRIPTION } },
      data,
    },
    repair(live) {
      if (
        text(maybe(live, 'data'), 'ca.crt') === authority &&
        live.metadata.annotations?.['kubernetes.io/description'] === DESCRIPTION
      )
        return false;
      live['data'] = data;
      live.metadata.annotations = { ...live.metadata.annotations, 'kubernetes.io/description': DESCRIPTION };
      return true;
    },
  });
}
