/**
 * access: which credentials open which repository, from `repository` and `repo-creds` Secrets. Takes Secrets; gives the
 * access for a URL and project, and the Secrets that cannot be used with the reason. Never logs a value.
 */
export { accessKey, accessProof } from './access-key.js';
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
  type RepositorySecretType,
  type RepositoryRegistry,
  type RepositoryRegistrySettings,
} from './repository-registry.js';
