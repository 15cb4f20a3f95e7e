/**
 * crd: CONTRACT.
 */
export { acceptNames } from './accept-names.js';
export { compileCrd } from './compile-crd.js';
export { CRD_STRATEGY } from './crd-strategy.js';
export { findByJsonPath, parseJsonPath } from './json-path.js';
