/**
 * http: CONTRACT.
 */
export { addressScopeOf } from './address-scope.js';
export { GitHubTokens } from './github-tokens.js';
export { HttpClient, basicAuthorization, type HttpResponse } from './http-client.js';
