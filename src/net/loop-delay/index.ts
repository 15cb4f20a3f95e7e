/**
 * loop-delay: how long the thread of this process was busy. Gives Prometheus metrics, each since they were read last.
 */
export { LoopDelay } from './loop-delay.js';
