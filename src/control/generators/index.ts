/**
 * generators: what an ApplicationSet generates. Takes a set and a reconcile context (clusters, git, decisions);
 * gives Applications as objects, or a fault that names the generator. Never writes.
 */
export { GenerationFault } from './generate-applications.js';
export { generateSet, projectOfSet, type GenerateOptions } from './generate-set.js';
export { RESOURCES_FINALIZER, isZero } from './template.js';
