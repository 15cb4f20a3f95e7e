/**
 * testing: CONTRACT.
 */
export type { Files } from './hostile-environment.js';
