import { Fault } from '../../model/faults/index.js';
import { ClusterError, ResponseTooLarge, retryAfterOf } from '../transport/index.js';

/** What a failed request of a watch cache means. */
export interface RequestFailure {
  /** lost: passes by itself. forbidden, broken: somebody must change something first. */
  readonly kind: 'lost' | 'forbidden' | 'broken';
  /** Where to go on: as before, with the list from its start, or with the list in smaller pages. */
  readonly next: 'same' | 'list' | 'smaller-pages';
  readonly reason: string;
  /** Milliseconds that the server asked to wait. */
  readonly wait: number;
}

export function classifyFailure(error: unknown): RequestFailure {
  if (!(error instanceof Fault)) return { kind: 'broken', next: 'same', reason: String(error), wait: 0 };
  const { message: reason } = error;
  const wait = retryAfterOf(error);
  if (error instanceof ResponseTooLarge) return { kind: 'broken', next: 'smaller-pages', reason, wait };
  if (!(error instanceof ClusterError))
    return { kind: error.code === 'CLUSTER_UNREACHABLE' ? 'lost' : 'broken', next: 'same', reason, wait };
  if (error.isExpired || error.isVersionTooLarge) return { kind: 'lost', next: 'list', reason, wait };
  switch (error.status) {
    case 401:
    case 403:
      return { kind: 'forbidden', next: 'same', reason, wait };
    case 404:
    case 405:
      return { kind: 'broken', next: 'same', reason: `the server does not serve this kind: ${reason}`, wait };
    // This server considers the version or the continue token malformed.
    case 400:
      return { kind: 'broken', next: 'list', reason, wait };
    case 429:
      return { kind: 'lost', next: 'same', reason, wait };
    default:
      return { kind: error.status >= 500 ? 'lost' : 'broken', next: 'same', reason, wait };
  }
}
