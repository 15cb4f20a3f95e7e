/**
 * api-client: CONTRACT.
 */
export { ApiClient } from './client.js';
export { Contexts, hostOf } from './contexts.js';
export { serverAddress } from './server-address.js';
