import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError, forbidden, notFound } from '../errors/index.js';
import type { AdmissionRequest, AdmissionPlugin } from '../rest/index.js';

/** Namespaces that cannot be deleted. */
const PROTECTED = new Set(['default', 'kube-system', 'kube-public']);

/** Objects live only in namespaces that exist and are not going away; the first namespaces stay for ever. */
export function namespaceLifecycle(namespace: (name: string) => KubeObject | undefined): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    // Among the mutating steps, as in the real server: a missing namespace is reported before anything wrong in the
    // object.
    mutate(request) {
      if (request.type.plural === 'namespaces' && request.type.group === '') checkDelete(request);
      else if (request.operation === 'CREATE' && request.type.namespaced && request.subresource === '')
        checkCreate(request, namespace(request.namespace));
    },
  };
}

function checkDelete({ operation, name }: AdmissionRequest): void {
  if (operation === 'DELETE' && PROTECTED.has(name))
    throw forbidden({ group: '', resource: 'namespaces' }, name, 'this namespace may not be deleted');
}

function checkCreate({ namespace, name, type }: AdmissionRequest, found: KubeObject | undefined): void {
  if (!found) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const refused = forbidden(
    { group: type.group, resource: type.plural },
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  throw new ApiError(refused.code, refused.reason, refused.message, { ...refused.details, causes: [cause] });
}
