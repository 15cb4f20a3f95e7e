/**
 * http: CONTRACT.
 */
export { addressScopeOf } from './address-scope.js';
export { GitHubTokens } from './github-tokens.js';
export { SourceHttpClient, basicAuthorization } from './source-http-client.js';
