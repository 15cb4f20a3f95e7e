/**
 * timing: CONTRACT.
 */
export { backoff, pause, systemClock, type ClientDependencies, type Clock } from './clock.js';
export { Limiter } from './limiter.js';
export { RequestBackoff, type BackoffLimits } from './request-backoff.js';
