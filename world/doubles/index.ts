/**
 * doubles: local servers that stand for the outside: git, an image registry, Keycloak, Vault.
 * Each speaks the real protocol for what is used of it, starts on loopback and a free port, and keeps its state in
 * memory or in the folder that it is given. What it reports has no secrets in it. For tests and the demo, never for
 * production.
 */
export { startDouble, type Answer, type Double, type DoubleOptions } from './http/start-double.js';
export { startGitServer, type GitServer, type GitServerOptions, type GitUser } from './git-server.js';
export { startRegistry, type Registry, type RegistryOptions, type RegistryUser } from './registry.js';
export { startKeycloak, type Keycloak, type KeycloakOptions } from './keycloak/start-keycloak.js';
export { type KeycloakClient, type KeycloakRealm, type KeycloakUser } from './keycloak/realm.js';
export { startVault, type Vault, type VaultOptions } from './vault/start-vault.js';
export { type ReviewToken, type ReviewedToken } from './vault/kubernetes-auth.js';
