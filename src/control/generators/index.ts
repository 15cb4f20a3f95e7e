/**
 * generators: CONTRACT.
 */
export { GenerationFault } from './generate-applications.js';
export { generateSet, type GenerateOptions } from './generate-set.js';
export { RESOURCES_FINALIZER, isZero } from './template.js';
