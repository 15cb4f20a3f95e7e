/**
 * api-client: HTTP to the API of an Argosy or Argo CD server, and the contexts that `login` saved. Takes a context;
 * gives parsed JSON, or a Fault. Never sends a token to another server than its own.
 */
export { ApiClient } from './client.js';
export { Contexts, hostOf } from './contexts.js';
export { serverAddress } from './server-address.js';
