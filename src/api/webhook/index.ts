/**
 * webhook: deliveries of git hosts. Takes headers, body and the secrets of argocd-secret; gives the pushes of a
 * delivery whose signature is valid, and whether a push affects an Application. Never refreshes anything itself.
 */
export { isAffected, movesRef } from './is-affected.js';
export { readWebhook, type WebhookSecrets } from './read-webhook.js';
