/**
 * stages: CONTRACT.
 */
export type { Probe, ProbeContext, Probes } from './probe.js';
export { readWorld, type WorldController } from './read-world.js';
export type { Stage } from './stage.js';
export { stageControllers, type StageHost } from './start-stages.js';
export { startViews } from './start-views.js';
export type { View } from './view.js';
