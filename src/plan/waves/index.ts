/**
 * waves: CONTRACT.
 */
export { checkWaves, keyIn, type WaveCheckInput } from './check-waves.js';
export type { WaveViolation } from './placed-object.js';
