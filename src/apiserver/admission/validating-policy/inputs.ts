import type { Json, JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { AdmissionRequest } from '../../rest/index.js';

/** What the expressions of a policy see of a request. */
export function inputsOf(
  request: AdmissionRequest,
  namespace: KubeObject | undefined,
  params: KubeObject | undefined,
): Record<string, Json> {
  return {
    object: request.object ?? null,
    oldObject: request.old ?? null,
    request: requestOf(request),
    params: params ?? null,
    namespaceObject: namespace ? namespaceOf(namespace) : null,
  };
}

function requestOf({ type, subresource, name, namespace, operation, user, dryRun }: AdmissionRequest): JsonObject {
  const kind = { group: type.group, version: type.version, kind: type.kind };
  const resource = { group: type.group, version: type.version, resource: type.plural };
  const extra = Object.fromEntries(Object.entries(user.extra ?? {}).map(([key, values]) => [key, [...values]]));
  return {
    kind,
    resource,
    requestKind: kind,
    requestResource: resource,
    name,
    operation,
    dryRun,
    ...(subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource }),
    ...(namespace === '' ? {} : { namespace }),
    userInfo: {
      username: user.name,
      groups: [...user.groups],
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      ...(user.extra === undefined ? {} : { extra }),
    },
  };
}

/** Owners and managers of a namespace are left out. */
function namespaceOf(namespace: KubeObject): JsonObject {
  const metadata = Object.entries(namespace.metadata).filter(
    ([key]) => !['managedFields', 'ownerReferences'].includes(key),
  );
  return { ...namespace, metadata: Object.fromEntries(metadata) };
}
