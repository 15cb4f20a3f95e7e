import { ApiError } from '../http/index.js';
import type { RbacResource } from '../../model/rbac/index.js';
import type { Subject } from './access.js';

/** The words of Argo CD: what was asked of whom, and by whom. */
export function permissionDenied(subject: Subject, resource: RbacResource, action: string, object: string): ApiError {
  const parts = [
    resource,
    action,
    object,
    ...(subject.name === '' ? [] : [`sub: ${subject.name}`]),
    ...(subject.issuedAt === undefined
      ? []
      : [`iat: ${new Date(subject.issuedAt * 1000).toISOString().replace('.000Z', 'Z')}`]),
  ];
  return new ApiError('PermissionDenied', `permission denied: ${parts.filter((part) => part !== '').join(', ')}`);
}
