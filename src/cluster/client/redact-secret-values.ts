import { ClusterError } from '../transport/index.js';
import type { ResourceRef } from '../../model/resources/index.js';

/** The messages of these errors are about names and versions, never about what was sent. */
const SAFE_STATUSES = [401, 404, 409, 410, 429];

/**
 * The error of a write without the values that were sent. Of a Secret the server may quote what it does not understand,
 * and an admission webhook may say anything, so only field paths are kept.
 */
export function redactSecretValues(error: ClusterError, { group, kind }: ResourceRef): ClusterError {
  const isPlain =
    SAFE_STATUSES.includes(error.status) || (error.status === 403 && !error.message.startsWith('admission webhook'));
  if (group !== '' || kind !== 'Secret' || isPlain) return error;
  const places = [...new Set([...error.causes.map(({ field }) => field), ...safePlaces(error.message)])].filter(
    (place) => place !== '',
  );
  const named = /^Secret "[\w.-]{1,253}" is invalid/.exec(error.message)?.[0];
  const what = error.isSchemaMismatch
    ? 'failed to create typed patch object: the Secret does not fit its schema'
    : (named ??
      'the server refuses the Secret ' +
        `(${[String(error.status), error.reason].filter((word) => word !== '').join(' ')})`);
  return new ClusterError(
    {
      status: error.status,
      reason: error.reason,
      retryAfterSeconds: error.retryAfterSeconds,
      causes: error.causes.map(({ reason, field }) => ({ reason, field, message: '' })),
      message:
        `${what}${places.length === 0 ? '' : `: ${places.join(', ')}`}; its message is hidden, because ` +
        'they may quote values',
    },
    error.where,
  );
}

/**
 * What it says of places and not of values: `.data.password: expected string, got ...` up to the comma, where base64 is
 * none, and what may not change.
 */
const SAFE_TEXTS = [
  String.raw`\.[\w.[\]"-]{1,300}: expected [a-z]{1,20}`,
  String.raw`illegal base64 data at input byte \d+`,
  'field is immutable when `immutable` is set',
];

function safePlaces(message: string): string[] {
  const pattern = new RegExp(String.raw`(?:^|\s)(${SAFE_TEXTS.join('|')})`, 'g');
  return [...message.matchAll(pattern)].map(([, words = '']) => words);
}
