import type { Application, SyncStatus } from '../../model/argo/index.js';
import type { ComparedState } from '../comparison/index.js';
import { hasNewNamespaceMetadata } from '../operation/index.js';

/** An application that cannot be compared is Unknown, whatever else is known of it. */
export function syncStatusOf({ status, conditions }: ComparedState, application: Application): SyncStatus {
  if (conditions.some(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError')) return 'Unknown';
  return hasNewNamespaceMetadata(application) ? 'OutOfSync' : status;
}
