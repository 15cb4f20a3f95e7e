/**
 * rbac: CONTRACT.
 */
export { BUILT_IN } from './built-in-policy.js';
export { Enforcer, type AccessDecision, type AccessRequest } from './enforcer.js';
export { isBroken, readPolicy, type BrokenPolicy } from './policy.js';
export { readRbacConfig, type RbacConfig } from './rbac-config.js';
export { ACTIONS, PROJECT_SCOPED, RESOURCES, type RbacResource } from './vocabulary.js';
