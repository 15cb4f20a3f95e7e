/**
 * rbac: the policies of Argo CD (`policy.csv`) as Casbin evaluates them. Takes the text of policies and the data of
 * argocd-rbac-cm; gives decisions with the line that made them. Never reads a cluster, and never knows who signed in:
 * the caller maps users, groups and project tokens to subjects.
 */
export { BUILT_IN } from './built-in-policy.js';
export { Enforcer, type AccessDecision, type AccessRequest } from './enforcer.js';
export { isBroken, readPolicy, type BrokenPolicy } from './policy.js';
export { readRbacConfig, type RbacConfig } from './rbac-config.js';
export { ACTIONS, PROJECT_SCOPED, RESOURCES, type RbacResource } from './vocabulary.js';
