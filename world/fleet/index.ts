/**
 * fleet: a platform's repository and its Applications, made of a seed; the objects they stand for, and those applied to
 * a cluster.
 * The same options give the same bytes. Rendering goes the way that delivery goes; applying asks for nothing but a
 * cluster.
 */
export { draw, drawOne } from './draw.js';
export { DEFAULT_SEED, makeFleet, type Fleet, type FleetOptions } from './make-fleet.js';
export { type ExpectedState } from './expected-states.js';
export { type Environment } from './environments.js';
export { type RepositoryAddress } from './applications.js';
export { addCommit, replaceFiles, resetRepository, writeRepository, type Commit } from './write-repository.js';
export { renderFleet, type RenderedApplication, type RenderFleetOptions } from './render-fleet.js';
export { applyFleet } from './apply-fleet.js';
export { keepOwnNodes } from './keep-own-nodes.js';
export { awaitHealth, kindsToWatch, type HealthWait, type Unhealthy } from './await-health.js';
export { firstLeftovers, firstMissing, readMoment, type Moment, type Removal } from './first-moment.js';
export { FIRST_CLUSTER_SYMPTOMS, firstSymptoms } from './first-symptoms.js';
export { awaitSymptoms, type Symptom, type SymptomState, type SymptomWait } from './await-symptoms.js';
