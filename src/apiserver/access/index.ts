/**
 * access: who a request comes from and what it may do: the PKI of the data directory, service account tokens, RBAC over
 * the stored roles and bindings, and the bootstrap policy of a new cluster. Takes credentials and request attributes,
 * gives a user and a decision with the 403 text of Kubernetes. Never logs a token or a key.
 */
export { AccessControl } from './access-control.js';
export { bootstrapPolicy } from './bootstrap-policy.js';
export { forbiddenRequest } from './forbidden-request.js';
export { SERVER_HOSTS, adminKubeconfig, openPki, type Pki } from './pki.js';
export { RbacIndex } from './rbac-index.js';
export { MASTERS, decide, grants, rulesOf, type PolicyRule, type RbacSource } from './rbac.js';
export { ISSUER, ServiceAccountTokens } from './service-account-tokens.js';
export { SYSTEM_USER, type AccessAttributes, type User } from './user.js';
