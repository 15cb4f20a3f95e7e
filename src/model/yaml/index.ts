/**
 * yaml: CONTRACT.
 */
export { readOneYaml, readYaml, type ReadYamlOptions } from './read-yaml.js';
export { isBlank, isBreak, type DuplicateKey } from './reader.js';
export { resolvePlain } from './resolve.js';
export { doubleQuoted, plainScalar, singleQuoted, type ScalarCursor } from './scalar-text.js';
export { writeYaml } from './write-yaml.js';
