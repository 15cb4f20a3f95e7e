/**
 * crd: CustomResourceDefinitions: validates them, accepts their names, and compiles each into a resource type with
 * schema, defaulting, pruning, CEL rules, printer columns and conversion between versions. Functions of the CRD; never
 * reads the store.
 */
export { acceptNames } from './accept-names.js';
export { compileCrd } from './compile-crd.js';
export { CRD_STRATEGY } from './crd-strategy.js';
export { findByJsonPath, parseJsonPath } from './json-path.js';
