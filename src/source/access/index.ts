/**
 * access: CONTRACT.
 */
export { proxyFor } from './proxy.js';
export {
  PUBLIC,
  fingerprint,
  hasCredentials,
  scrubFor,
  type GitHubApp,
  type RepositoryAccess,
} from './repository-access.js';
export {
  readRepositoryRegistry,
  type RepositoryEntry,
  type RepositoryRegistry,
  type RepositoryRegistrySettings,
} from './repository-registry.js';
