/**
 * security: the security profiles `laptop` and `shared`, and the flags of `up`, `serve` and `controller` that belong to
 * them. Takes flags, environment and the settings of the control plane; gives what a start does, or a Fault that names
 * the flag, variable or key that the profile forbids.
 */
export type { Security, SecurityFlags } from './choose-security.js';
export { readSecurity } from './read-security.js';
export { withMetricsAddress, withSecurityProfile, withTlsFlags } from './security-flags.js';
