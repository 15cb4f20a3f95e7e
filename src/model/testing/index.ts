/** testing: what tests of several rooms need. */
export { cpuSecondsOf } from './cpu-seconds.js';
