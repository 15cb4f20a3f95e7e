/**
 * access: CONTRACT.
 */
export { AccessControl } from './access-control.js';
export { bootstrapPolicy } from './bootstrap-policy.js';
export { forbiddenRequest } from './forbidden-request.js';
export { SERVER_HOSTS, adminKubeconfig, openPki, type Pki } from './pki.js';
export { RbacIndex } from './rbac-index.js';
export { MASTERS, decide, grants, rulesOf, type PolicyRule, type RbacSource } from './rbac.js';
export { ISSUER, ServiceAccountTokens } from './service-account-tokens.js';
export { SYSTEM_USER, type AccessAttributes, type User } from './user.js';
