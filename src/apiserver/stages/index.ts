/**
 * stages: plays third-party controllers by data: reads stages, views and controllers of a world folder, and runs them
 * as controllers of the server. A mistake in the data fails the start with its place; a stage that fails at run time is
 * logged once. Facts from outside the cluster come in as probes.
 */
export type { Probe, ProbeContext, Probes } from './probe.js';
export { readWorld, type WorldController } from './read-world.js';
export type { Stage } from './stage.js';
export { startAdmission, stageControllers, type StageHost } from './start-stages.js';
export { startViews } from './start-views.js';
export type { View } from './view.js';
