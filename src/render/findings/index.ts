/**
 * findings: what is suspicious in a render although it succeeds: empty overrides, parts left out, unset shell
 * variables. Takes manifests and values; gives findings with file and line. Never changes the result.
 */
export type { Finding } from './finding.js';
export { findPartsLeftOut, type PartLeftOut } from './parts-left-out.js';
export { findUnsetShellVariables, type UnsetShellVariable } from './unset-shell-variables.js';
