/**
 * http: downloads for sources: address checks, redirects, GitHub App tokens and limits. Takes a URL and an access;
 * gives bytes or a Fault without credentials. Link-local addresses are never contacted.
 */
export { addressScopeOf } from './address-scope.js';
export { GitHubTokens } from './github-tokens.js';
export { SourceHttpClient, basicAuthorization } from './source-http-client.js';
