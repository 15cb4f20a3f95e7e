/**
 * waves: mistakes in the order of waves, such as an object that needs one of a later wave. Takes targets; gives
 * violations with a hint. Checks what git says only, never a cluster.
 */
export { checkWaves, keyIn, type WaveCheckInput } from './check-waves.js';
export type { WaveViolation } from './placed-object.js';
