import { parseDuration } from '../formats/index.js';
import { Fault } from '../faults/index.js';
import { count, text, wrong, isObject, own, type JsonObject } from '../json/index.js';

export interface RetryPolicy {
  /** Attempts after the first; negative for no end. */
  readonly limit: number;
  /** Each attempt takes the newest revision instead of the one the operation began with. */
  readonly refresh: boolean;
  /** Milliseconds. */
  readonly duration: number;
  readonly factor: number;
  /** Milliseconds. */
  readonly maxDuration: number;
}

const DEFAULTS = { duration: 5000, factor: 2, maxDuration: 180_000 };

export function readRetry(raw: JsonObject, at: string): RetryPolicy {
  const backoff = isObject(raw.backoff) ? raw.backoff : {};
  const factor = own(backoff, 'factor');
  if (factor !== undefined && factor !== null && typeof factor !== 'number')
    throw wrong(`${at}.backoff.factor`, 'must be a number');
  return {
    limit: count(raw, 'limit', at) ?? 0,
    refresh: raw.refresh === true,
    duration: duration(backoff, 'duration', `${at}.backoff`) ?? DEFAULTS.duration,
    factor: typeof factor === 'number' ? factor : DEFAULTS.factor,
    maxDuration: duration(backoff, 'maxDuration', `${at}.backoff`) ?? DEFAULTS.maxDuration,
  };
}

/** Milliseconds; a bare number counts seconds, as Argo CD reads it. */
function duration(object: JsonObject, name: string, at: string): number | undefined {
  const written = text(object, name, at);
  if (written === '') return undefined;
  if (/^\d+$/.test(written)) return Number(written) * 1000;
  try {
    return Number(parseDuration(written) / 1_000_000n);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw wrong(`${at}.${name}`, `is no duration such as 5s or 3m: ${JSON.stringify(written)}`);
  }
}
