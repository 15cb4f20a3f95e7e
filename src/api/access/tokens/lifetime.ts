import { own } from '../../../model/json/index.js';
import { timeClaim, type Claims } from './claims.js';

/** How far the clock of who signed may be behind ours, and ahead of it, in seconds. */
export interface Tolerance {
  readonly behind?: number;
  readonly ahead?: number;
}

/** What is wrong with the times of a token; undefined where nothing is. `now` is in seconds. */
export function lifetimeViolation(
  claims: Claims,
  now: number,
  { behind = 0, ahead = 0 }: Tolerance,
): 'expired' | 'not valid yet' | 'without valid times' | undefined {
  for (const name of ['exp', 'nbf', 'iat'])
    if (own(claims, name) !== undefined && timeClaim(claims, name) === undefined) return 'without valid times';
  const [exp, nbf, iat] = [timeClaim(claims, 'exp'), timeClaim(claims, 'nbf'), timeClaim(claims, 'iat')];
  if (iat === undefined) return 'without valid times';
  if (exp !== undefined && exp <= now - behind) return 'expired';
  return (nbf ?? 0) > now + ahead || iat > now + ahead ? 'not valid yet' : undefined;
}
