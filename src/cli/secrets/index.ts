/**
 * secrets: the `secrets` commands: credentials copied from files, Gitea and Keycloak to Secrets and Vault. Takes the
 * program and the host. Never prints a value.
 */
export { addSecrets } from './command.js';
