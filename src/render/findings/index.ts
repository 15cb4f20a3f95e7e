/**
 * findings: CONTRACT.
 */
export type { Finding } from './finding.js';
export { findPartsLeftOut, type PartLeftOut } from './parts-left-out.js';
export { findUnsetShellVariables, type UnsetShellVariable } from './unset-shell-variables.js';
