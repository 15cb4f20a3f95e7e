/**
 * causes: CONTRACT.
 */
export { explainFindings } from './explain-findings.js';
export { findCauses } from './find-causes.js';
export { LookAhead, type NextBlocker } from './look-ahead.js';
export { impactOf, rankCauses, type RankedCause } from './rank-causes.js';
export { inspectedOnTrail, reverse, trailOf, type Trail } from './trail.js';
export { countUnits, reachOf, type Unit } from './units.js';
