/**
 * testing: what several tests of `control` share: an environment with hostile repositories, and timers that a test
 * moves. Never imported by the product.
 */
export type { Files } from './hostile-environment.js';
