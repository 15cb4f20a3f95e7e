/**
 * timing: the clock, pauses, backoff and the limit of requests in flight. Time and randomness come in as arguments, so
 * tests move the clock; only `systemClock` reads the machine's.
 */
export { backoff, pause, systemClock, type ClientDependencies, type Clock } from './clock.js';
export { Limiter } from './limiter.js';
export { RequestBackoff, type BackoffLimits } from './request-backoff.js';
