/**
 * causes: from findings to ranked causes. Takes the findings of all objects and the graph; gives each cause with its
 * members, its trail from a symptom, what it reaches and its place in the order of repair. Never runs rules by itself
 * and never parses messages: only findings and edges decide.
 */
export { explainFindings } from './explain-findings.js';
export { findCauses } from './find-causes.js';
export { LookAhead, type NextBlocker } from './look-ahead.js';
export { impactOf, rankCauses, type RankedCause } from './rank-causes.js';
export { inspectedOnTrail, reverse, trailOf, type Trail } from './trail.js';
export { countUnits, reachOf, type Unit } from './units.js';
