/**
 * yaml: YAML as Go's libraries read and write it, in the dialects of Kubernetes and of Kustomize. Takes text; gives
 * values or a Fault with line and column. Depth and aliases are limited.
 */
export { readOneYaml, readYaml, type ReadYamlOptions } from './read-yaml.js';
export { isBlank, isBreak, type DuplicateKey } from './reader.js';
export { resolvePlain } from './resolve.js';
export { doubleQuoted, plainScalar, singleQuoted, type ScalarCursor } from './scalar-text.js';
export { writeYaml } from './write-yaml.js';
export { prepareYamlText } from './yaml-text.js';
