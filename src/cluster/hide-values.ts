import { ClusterError } from './cluster-error.js';
import type { ResourceRef } from './resource-kind.js';

/** What such a refusal says is about names and versions, never about what was sent. */
const HARMLESS = [401, 404, 409, 410, 429];

/**
 * The refusal of a write without the values that were sent. Of a Secret the server may quote what it does not understand, and an admission
 * webhook may say anything, so of those only the places are told.
 */
export function withoutValues(error: ClusterError, { group, kind }: ResourceRef): ClusterError {
  const isPlain = HARMLESS.includes(error.status) || (error.status === 403 && !error.message.startsWith('admission webhook'));
  if (group !== '' || kind !== 'Secret' || isPlain) return error;
  const places = [...new Set([...error.causes.map(({ field }) => field), ...wrongTypes(error.message)])].filter((place) => place !== '');
  const what = error.isUntyped ? 'failed to create typed patch object: the Secret does not fit its schema' : `the server refuses the Secret (${[String(error.status), error.reason].filter((word) => word !== '').join(' ')})`;
  return new ClusterError({
    status: error.status, reason: error.reason, retryAfterSeconds: error.retryAfterSeconds, causes: error.causes.map(({ reason, field }) => ({ reason, field, message: '' })),
    message: `${what}${places.length === 0 ? '' : `: ${places.join(', ')}`}; its own words are not shown, because they may quote values`,
  }, error.where);
}

/** `.data.password: expected string, got ...`: everything before the comma. */
function wrongTypes(message: string): string[] {
  return [...message.matchAll(/(?:^|\s)(\.[\w.[\]"-]{1,300}: expected [a-z]{1,20})/g)].map(([, place = '']) => place);
}
